-- How many cases of the run have an outcome?
SELECT count(DISTINCT case_id) AS cases
FROM current_outcome
WHERE run_id = $run_id
