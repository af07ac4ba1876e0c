-- What is written down of the spending of one run?
SELECT * FROM replay_spend WHERE run_id = $run_id ORDER BY "at"
