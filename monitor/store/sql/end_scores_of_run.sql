-- End the scores of the run.
INSERT INTO score_end BY NAME
SELECT DISTINCT run_id, case_id, sample FROM current_score WHERE run_id = $run_id
