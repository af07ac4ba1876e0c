-- Remove the stored means of these runs from `run_metric`.
DELETE FROM run_metric WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
