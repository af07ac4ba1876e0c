-- Which signals say what was wrong with the answer to a readable question that is no candidate yet? Newest first.
-- One that says what was right also counts while the candidate of its question has no expectation and no edit.
WITH said AS (
    SELECT *,
        coalesce(trim(expected, $space) <> '' OR (kind = 'edit' AND trim(text, $space) <> ''), FALSE) AS says_right
    FROM feedback
    WHERE source <> 'system' AND linked_interaction_id IS NOT NULL
        AND (says_right
            OR (is_correction AND (trim(comment, $space) <> '' OR trim(failure_category, $space) <> '')))
)
SELECT said.* EXCLUDE (says_right)
FROM said
JOIN interaction ON interaction.id = said.linked_interaction_id
WHERE interaction.deployment = $deployment AND interaction.origin = 'production' AND interaction.dup_of IS NULL
    AND trim(interaction.input_text, $space) <> '' AND interaction.content_state <> 'truncated'
    AND NOT EXISTS (
        FROM candidate
        WHERE candidate.deployment = interaction.deployment
            AND trim(nfc_normalize(candidate.input_text), $space) = trim(nfc_normalize(interaction.input_text), $space)
            AND candidate.messages = interaction.input_messages
            AND NOT (said.says_right AND candidate.state = 'proposed' AND candidate.revision = 0
                AND candidate.expected = '')
    )
    AND NOT EXISTS (FROM candidate WHERE candidate.feedback_id = said.id)
    AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = said.id)
ORDER BY said."at" DESC, said.id DESC
LIMIT $limit
