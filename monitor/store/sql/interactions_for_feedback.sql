-- Which production interactions does a key of the batch's feedback match? Those of its own deployment first, if any.
WITH matched AS (
    SELECT batch.feedback_id, i.id, 'interaction_id' AS method, i.started_at, i.deployment = batch.deployment AS own
    FROM batch JOIN interaction AS i ON i.id = batch.interaction_id
    WHERE i.origin = 'production'
    UNION ALL
    SELECT batch.feedback_id, i.id, 'span', i.started_at, i.deployment = batch.deployment
    FROM batch JOIN interaction AS i ON i.trace_id = batch.trace_id AND i.span_id = batch.span_id
    WHERE i.origin = 'production'
    UNION ALL
    SELECT batch.feedback_id, i.id, 'response_id', i.started_at, i.deployment = batch.deployment
    FROM batch JOIN interaction AS i ON i.response_id = batch.response_id
    WHERE i.origin = 'production'
    UNION ALL
    SELECT batch.feedback_id, i.id, 'trace', i.started_at, i.deployment = batch.deployment
    FROM batch JOIN interaction AS i ON i.trace_id = batch.trace_id
    WHERE i.origin = 'production'
    UNION ALL
    SELECT batch.feedback_id, i.id, 'conversation', i.started_at, i.deployment = batch.deployment
    FROM batch JOIN interaction AS i ON i.conversation_id = batch.conversation_id AND i.started_at <= batch."at"
    WHERE i.origin = 'production'
),
nearest AS (
    SELECT feedback_id, id, method, started_at,
        rank() OVER (PARTITION BY feedback_id, method ORDER BY own DESC) AS belonging,
        row_number() OVER (PARTITION BY feedback_id, method ORDER BY own DESC, started_at DESC, id DESC) AS recency
    FROM matched
)
SELECT feedback_id, id AS interaction_id, method, started_at
FROM nearest
WHERE belonging = 1 AND (method <> 'conversation' OR recency = 1)
ORDER BY feedback_id, method, started_at DESC, interaction_id
