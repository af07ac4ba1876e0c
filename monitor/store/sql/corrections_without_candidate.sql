-- Which corrections refer to a readable question that is not a candidate yet? The newest first.
-- A correction with the right answer also counts while the candidate of its question has no expectation and no edit.
WITH signals AS MATERIALIZED ( -- few rows, so that only their interactions are read
    SELECT *,
        coalesce(trim(expected, $space) <> '' OR (kind = 'edit' AND trim(text, $space) <> ''), FALSE) AS says_right
    FROM feedback
    WHERE source <> 'system' AND linked_interaction_id IS NOT NULL
        AND (says_right
            OR (is_correction AND (trim(comment, $space) <> '' OR trim(failure_category, $space) <> '')))
        AND NOT EXISTS (FROM candidate WHERE candidate.feedback_id = feedback.id)
        AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
),
asked AS MATERIALIZED (
    SELECT signals.*, interaction.input_messages, trim(nfc_normalize(interaction.input_text), $space) AS question
    FROM signals
    JOIN interaction ON interaction.id = signals.linked_interaction_id
    WHERE interaction.deployment = $deployment AND interaction.origin = 'production' AND interaction.duplicate_of IS NULL
        AND trim(interaction.input_text, $space) <> '' AND interaction.content_state <> 'truncated'
        AND NOT (signals.kind = 'edit' AND coalesce(trim(signals.expected, $space), '') = ''
            AND trim(signals.text, $space) IS NOT DISTINCT FROM trim(interaction.output_text, $space))
)
SELECT asked.* EXCLUDE (says_right, input_messages, question)
FROM asked
WHERE NOT EXISTS (
    FROM candidate
    WHERE candidate.deployment = $deployment AND candidate.messages = asked.input_messages
        AND trim(nfc_normalize(candidate.input_text), $space) = asked.question
        AND NOT (asked.says_right AND candidate.state = 'proposed' AND candidate.revision = 0
            AND candidate.expected = '')
)
ORDER BY asked."at" DESC, asked.id DESC
LIMIT $limit
