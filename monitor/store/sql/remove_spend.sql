-- Removes what is written down of the spending of one run.
DELETE FROM replay_spend WHERE run_id = $run_id
