-- Which samples of the run are answered?
SELECT case_id, sample FROM outcome WHERE run_id = $run_id
