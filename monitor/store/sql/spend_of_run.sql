-- Which spending records does the run have?
SELECT * FROM replay_spend WHERE run_id = $run_id ORDER BY "at"
