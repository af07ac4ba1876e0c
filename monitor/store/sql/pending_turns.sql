-- Which calls received in [since, until) have a turn of the user after an earlier answer, and no verdict of this version?
-- A call whose last message is not of the user continues a turn that an earlier call has. A limited number, the newest
-- first, each with a time before which no stored call belongs to its conversation, or to its user's day.
WITH unjudged AS MATERIALIZED (
    SELECT id
    FROM current_interaction AS interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
        AND received_at >= $since AND received_at < $until AND content_state <> 'absent'
        AND NOT EXISTS (FROM current_turn_signal AS turn_signal WHERE turn_signal.interaction_id = interaction.id AND turn_signal.version = $version)
),
waiting AS MATERIALIZED (
    SELECT id, received_at, started_at, conversation_id, user_id
    FROM current_interaction AS interaction
    SEMI JOIN unjudged USING (id)
    WHERE received_at >= $since AND received_at < $until AND trim(input_text, $space) <> ''
        AND json_extract_string(input_messages, '$[#-1].role') = 'user'
        AND (contains(input_messages, '"role":"assistant"') OR EXISTS (
            FROM current_interaction AS earlier
            WHERE earlier.deployment = interaction.deployment AND earlier.conversation_id = interaction.conversation_id
                AND earlier.started_at < interaction.started_at AND earlier.origin = 'production'
                AND earlier.duplicate_of IS NULL AND earlier.status <> 'error'
                AND coalesce(earlier.finish_reason, '') <> 'tool_calls' AND trim(earlier.output_text, $space) <> ''
        ))
    ORDER BY received_at DESC, id DESC
    LIMIT $limit
),
begun AS (
    SELECT conversation_id, min(started_at) AS begun_at
    FROM current_interaction AS interaction
    WHERE deployment = $deployment AND conversation_id IN (SELECT conversation_id FROM waiting)
    GROUP BY conversation_id
)
SELECT waiting.id, waiting.received_at, waiting.started_at,
    CASE
        WHEN waiting.conversation_id IS NOT NULL THEN begun.begun_at
        WHEN waiting.user_id IS NOT NULL THEN waiting.started_at - INTERVAL 1 DAY
        ELSE waiting.started_at
    END AS begun_at
FROM waiting
LEFT JOIN begun USING (conversation_id)
ORDER BY waiting.received_at DESC, waiting.id DESC
