-- Remove the candidates of the interactions of the batch.
DELETE FROM candidate WHERE interaction_id IN (SELECT id FROM batch)
