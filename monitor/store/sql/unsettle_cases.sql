-- Remove the stored results of these runs from `case_verdict`.
DELETE FROM case_verdict WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
