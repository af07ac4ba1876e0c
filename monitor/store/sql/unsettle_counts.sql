-- Remove the stored results of these runs from `run_tally`.
DELETE FROM run_tally WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
