-- Remove the spending records of one run.
DELETE FROM replay_spend WHERE run_id = $run_id
