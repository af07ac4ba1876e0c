-- Removes the candidates that were made of the batch's interactions.
DELETE FROM candidate WHERE interaction_id IN (SELECT id FROM batch)
