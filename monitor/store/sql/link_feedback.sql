-- Append the interaction of each signal of the batch. The signal gets the deployment of the interaction.
INSERT INTO feedback_link BY NAME
SELECT signal.id, $revision AS revision, coalesce(batch.deployment, signal.deployment) AS deployment,
    batch.interaction_id AS linked_interaction_id, batch.method AS link_method
FROM batch
JOIN current_feedback AS signal ON signal.id = batch.feedback_id
