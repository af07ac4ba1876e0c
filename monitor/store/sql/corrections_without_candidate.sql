-- Which signals say what the output of a readable question should have been, that is no candidate yet? Newest first.
SELECT feedback.*
FROM feedback
JOIN interaction ON interaction.id = feedback.linked_interaction_id
WHERE (trim(feedback.expected, $space) <> '' OR (feedback.kind = 'edit' AND trim(feedback.text, $space) <> ''))
    AND interaction.deployment = $deployment AND interaction.origin = 'production' AND interaction.dup_of IS NULL
    AND trim(interaction.input_text, $space) <> '' AND interaction.content_state <> 'truncated'
    AND NOT EXISTS (
        FROM candidate
        WHERE candidate.deployment = interaction.deployment
            AND trim(nfc_normalize(candidate.input_text), $space) = trim(nfc_normalize(interaction.input_text), $space)
    )
    AND NOT EXISTS (FROM candidate WHERE candidate.feedback_id = feedback.id)
    AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
ORDER BY feedback."at" DESC, feedback.id DESC
LIMIT $limit
