-- Which production calls match a key of the feedback of the batch?
-- Calls of the same deployment first, and the kept report of each. An interaction id may be trace and span id with a colon
-- between: then it matches the calls of that step. Feedback of a limited sender matches only calls of its deployments.
WITH matched AS (
    SELECT batch.feedback_id, 'interaction_id' AS method, 0 AS far, batch.deployment AS said_of, batch.limited_to AS reach, i.*
    FROM batch JOIN current_interaction AS i ON i.id = batch.interaction_id
    UNION ALL
    SELECT batch.feedback_id, 'span', 0, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.span_id = batch.span_id
    WHERE batch.trace_id IS NULL OR i.trace_id = batch.trace_id
    UNION ALL
    SELECT batch.feedback_id, 'span', 0, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.span_id = split_part(batch.interaction_id, ':', 2)
    WHERE batch.trace_id IS NULL
    UNION ALL
    SELECT batch.feedback_id, 'response_id', 0, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.response_id = batch.response_id
    UNION ALL
    SELECT batch.feedback_id, 'trace', CASE WHEN i.parent_span_id IN (batch.span_id, split_part(batch.interaction_id, ':', 2)) THEN 0 ELSE 1 END, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.trace_id = batch.trace_id
    UNION ALL
    SELECT batch.feedback_id, 'trace', 0, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.parent_span_id = batch.span_id
    WHERE batch.trace_id IS NULL
    UNION ALL
    SELECT batch.feedback_id, 'trace', 0, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.parent_span_id = split_part(batch.interaction_id, ':', 2)
    WHERE batch.trace_id IS NULL
    UNION ALL
    SELECT batch.feedback_id, 'conversation', 0, batch.deployment, batch.limited_to, i.*
    FROM batch JOIN current_interaction AS i ON i.conversation_id = batch.conversation_id AND i.started_at <= batch."at"
),
judged AS (
    SELECT feedback_id, method, far, coalesce(duplicate_of, id) AS interaction_id, started_at, deployment,
        deployment = said_of AS own,
        status <> 'error' AND coalesce(finish_reason, '') <> 'tool_calls'
            AND (trim(output_text) <> '' OR content_state IN ('absent', 'redacted')) AS answered
    FROM matched
    WHERE origin = 'production' AND started_at >= $since
        AND (reach IS NULL OR json_contains(reach, to_json(deployment)))
),
placed AS (
    SELECT feedback_id, interaction_id, method, started_at, answered, deployment,
        rank() OVER (PARTITION BY feedback_id, method ORDER BY own DESC, far) AS belonging,
        row_number() OVER (
            PARTITION BY feedback_id, method ORDER BY own DESC, far, answered DESC, started_at DESC, interaction_id DESC
        ) AS place
    FROM judged
)
SELECT DISTINCT ON (feedback_id, method, interaction_id) feedback_id, interaction_id, method, started_at, answered, deployment
FROM placed
WHERE belonging = 1 AND (method NOT IN ('conversation', 'trace') OR place = 1)
ORDER BY feedback_id, method, interaction_id, started_at DESC
