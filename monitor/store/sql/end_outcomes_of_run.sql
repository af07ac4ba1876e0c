-- End the outcomes of the run.
INSERT INTO outcome_end BY NAME
SELECT DISTINCT run_id, case_id, sample FROM current_outcome WHERE run_id = $run_id
