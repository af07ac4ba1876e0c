-- Remove the scores of these runs.
DELETE FROM score WHERE run_id IN (SELECT unnest($ids))
