-- Writes down which interaction each signal of the batch belongs to.
UPDATE feedback
SET linked_interaction_id = batch.interaction_id, link_method = batch.method
FROM batch
WHERE feedback.id = batch.feedback_id
