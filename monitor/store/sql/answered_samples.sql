-- Which samples of the run have an outcome?
SELECT case_id, sample FROM current_outcome WHERE run_id = $run_id
