-- Which answers did the conversation of each turn of the batch have before it? Without a conversation id, those of its user.
-- The newest `most` of each turn, the oldest first, with the strongest explicit correction of each: an edit before others.
-- Calls before `begun_at` are searched only when they were received since `arrived_at`: no earlier one belongs to a turn.
WITH near AS (
    FROM current_interaction WHERE started_at >= $begun_at AND started_at < $ended_at
    UNION ALL
    FROM current_interaction WHERE started_at < $begun_at AND received_at >= $arrived_at
),
matched AS (
    SELECT batch.turn_id, i.*
    FROM batch
    JOIN near AS i ON i.deployment = batch.deployment AND i.conversation_id = batch.conversation_id
        AND i.started_at < batch.started_at
    UNION ALL
    SELECT batch.turn_id, i.*
    FROM batch
    JOIN near AS i ON i.deployment = batch.deployment AND i.user_id = batch.user_id
        AND i.started_at < batch.started_at AND i.started_at >= batch.started_at - INTERVAL 1 DAY
    WHERE batch.conversation_id IS NULL
),
placed AS (
    SELECT turn_id, id, started_at, input_text, output_text,
        row_number() OVER (PARTITION BY turn_id ORDER BY started_at DESC, id DESC) AS place
    FROM matched
    WHERE origin = 'production' AND duplicate_of IS NULL AND status <> 'error'
        AND coalesce(finish_reason, '') <> 'tool_calls' AND trim(output_text, $space) <> ''
),
corrected AS (
    SELECT linked_interaction_id AS id, CASE WHEN bool_or(kind = 'edit') THEN 'edited' ELSE 'rejected' END AS event
    FROM current_feedback AS signal
    WHERE is_correction AND linked_interaction_id IN (SELECT id FROM placed WHERE place <= $most)
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY linked_interaction_id
)
SELECT placed.turn_id, placed.id AS interaction_id, placed.started_at, placed.input_text AS request,
    placed.output_text AS answer, corrected.event
FROM placed
LEFT JOIN corrected ON corrected.id = placed.id
WHERE placed.place <= $most
ORDER BY placed.turn_id, placed.place DESC
