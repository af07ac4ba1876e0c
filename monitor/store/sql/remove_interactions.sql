-- Remove the interactions of the batch.
DELETE FROM interaction WHERE id IN (SELECT id FROM batch)
