-- Which sealed values do the scores of the run have?
SELECT run_id, case_id, sample, scorer, component, reason_sealed
FROM current_score
WHERE run_id = $run_id
