-- Which corrections of a readable question are no candidate of the deployment yet, newest first?
SELECT feedback.*
FROM feedback
JOIN interaction ON interaction.id = feedback.linked_interaction_id
WHERE feedback.is_correction AND interaction.deployment = $deployment AND interaction.origin = 'production'
    AND interaction.input_text <> ''
    AND NOT EXISTS (
        FROM candidate
        WHERE candidate.deployment = interaction.deployment AND candidate.input_text = interaction.input_text
    )
    AND NOT EXISTS (FROM candidate WHERE candidate.feedback_id = feedback.id)
ORDER BY feedback."at" DESC, feedback.id DESC
LIMIT $limit
