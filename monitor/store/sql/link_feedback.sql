-- Writes down which interaction each signal of the batch belongs to, whose deployment is the signal's from then on.
UPDATE feedback
SET linked_interaction_id = batch.interaction_id, link_method = batch.method,
    deployment = coalesce(batch.deployment, feedback.deployment)
FROM batch
WHERE feedback.id = batch.feedback_id
