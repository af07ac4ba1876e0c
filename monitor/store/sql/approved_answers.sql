-- Which answers to the questions of the batch did users approve of?
WITH approved AS MATERIALIZED (
    SELECT linked_interaction_id AS id
    FROM current_feedback AS signal
    WHERE source <> 'system' AND linked_interaction_id IS NOT NULL
        AND ((kind = 'thumb' AND "value" > 0) OR (kind = 'rating' AND "value" >= 0.8))
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
)
SELECT interaction.input_text, interaction.output_text, interaction.user_id, interaction.conversation_id,
    interaction.id
FROM approved
JOIN current_interaction AS interaction ON interaction.id = approved.id
WHERE interaction.deployment = $deployment AND interaction.input_text IN (SELECT question FROM batch)
