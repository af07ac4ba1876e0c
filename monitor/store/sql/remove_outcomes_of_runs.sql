-- Remove the outcomes of these runs.
DELETE FROM outcome WHERE run_id IN (SELECT unnest($ids))
