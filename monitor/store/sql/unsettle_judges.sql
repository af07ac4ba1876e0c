-- Remove the stored scorers of these runs from `run_judge`.
DELETE FROM run_judge WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
