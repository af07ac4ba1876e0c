-- Store the interaction of each signal of the batch. The signal gets the deployment of the interaction.
UPDATE feedback
SET linked_interaction_id = batch.interaction_id, link_method = batch.method,
    deployment = coalesce(batch.deployment, feedback.deployment)
FROM batch
WHERE feedback.id = batch.feedback_id
