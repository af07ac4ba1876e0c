-- Which corrections refer to a readable question and belong to no group of corrections yet? The newest first.
-- Mostly none: their ids are searched first, because the other columns take most of the time.
WITH found AS MATERIALIZED ( -- few rows, so that only their interactions are read
    SELECT id
    FROM current_feedback AS signal
    WHERE source <> 'system' AND linked_interaction_id IS NOT NULL
        AND (coalesce(trim(expected, $space) <> '' OR (kind = 'edit' AND trim(text, $space) <> ''), FALSE)
            OR (is_correction AND (trim(comment, $space) <> '' OR trim(failure_category, $space) <> '')))
        AND NOT EXISTS (FROM candidate WHERE candidate.feedback_id = signal.id)
        AND NOT EXISTS (
            FROM candidate_member
            WHERE candidate_member.correction_id = signal.id
                AND (candidate_id = '' OR candidate_id IN (SELECT id FROM candidate))
        )
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
)
SELECT signals.*
FROM (SELECT * FROM current_feedback WHERE id IN (SELECT id FROM found)) AS signals
JOIN current_interaction AS interaction ON interaction.id = signals.linked_interaction_id
WHERE interaction.deployment = $deployment AND interaction.origin = 'production' AND interaction.duplicate_of IS NULL
    AND trim(interaction.input_text, $space) <> '' AND interaction.content_state <> 'truncated'
    AND NOT (signals.kind = 'edit' AND coalesce(trim(signals.expected, $space), '') = ''
        AND trim(signals.text, $space) IS NOT DISTINCT FROM trim(interaction.output_text, $space))
ORDER BY signals."at" DESC, signals.id DESC
LIMIT $limit
