-- Which samples of the run have an outcome?
SELECT case_id, sample FROM outcome WHERE run_id = $run_id
