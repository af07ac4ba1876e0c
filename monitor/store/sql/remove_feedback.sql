-- Remove the signals of the batch.
DELETE FROM feedback WHERE id IN (SELECT id FROM batch)
