-- Which flagged turns correct a stored answer to a readable question that is not a candidate yet? The newest first.
-- One turn for each answer, the most certain one. An explicit correction of the same answer wins, and an abandoned
-- conversation proposes nothing.
WITH turn AS (
    SELECT *
    FROM current_turn_signal AS turn_signal
    WHERE deployment = $deployment AND version = $version AND flagged AND answer_id IS NOT NULL
        AND detector <> 'event' AND code <> 'abandon' AND score >= $score
        AND NOT EXISTS (FROM candidate WHERE candidate.feedback_id = turn_signal.id)
        AND NOT EXISTS (FROM candidate WHERE candidate.interaction_id = turn_signal.answer_id)
        AND NOT EXISTS (
            FROM current_feedback AS signal
            WHERE signal.linked_interaction_id = turn_signal.answer_id AND signal.is_correction
                AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
        )
    QUALIFY row_number() OVER (PARTITION BY answer_id ORDER BY score DESC, "at" DESC, id) = 1
)
SELECT turn.*, own.input_text AS turn_text
FROM turn
JOIN current_interaction AS own ON own.id = turn.interaction_id AND own.duplicate_of IS NULL
JOIN current_interaction AS answer ON answer.id = turn.answer_id
WHERE answer.origin = 'production' AND answer.duplicate_of IS NULL AND trim(answer.input_text, $space) <> ''
    AND answer.content_state <> 'truncated'
ORDER BY turn."at" DESC, turn.id DESC
LIMIT $limit
