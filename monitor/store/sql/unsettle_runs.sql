-- Remove the stored results of these runs from `settled_run`.
DELETE FROM settled_run WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
