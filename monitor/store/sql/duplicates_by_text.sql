-- Which reports in another trace started at about the same time as a new one without a response id, with the same texts?
WITH call AS (
    SELECT id, deployment, trace_id, request_model, conversation_id, response_id, convention, status, error_type, started_at, duration_ms,
        input_tokens IS NOT NULL AS counted, input_text, output_text, epoch_ms(started_at) // $apart_ms AS slot,
        received_at >= $since AND response_id IS NULL AS is_nameless
    FROM current_interaction
    WHERE received_at >= $calls_since AND started_at BETWEEN $first_at AND $last_at
        AND origin = 'production' AND duplicate_of IS NULL AND span_id IS NOT NULL AND input_text <> ''
),
near AS (
    SELECT *, unnest([slot - 1, slot, slot + 1]) AS meeting FROM call WHERE is_nameless
)
SELECT
    a.id AS one_id, a.convention AS one_convention, a.status AS one_status, a.started_at AS one_started_at,
    a.duration_ms AS one_duration_ms, a.response_id AS one_response_id, a.error_type AS one_error_type, a.counted AS one_counted,
    a.input_text AS one_inputs, a.output_text AS one_outputs,
    b.id AS other_id, b.convention AS other_convention, b.status AS other_status, b.started_at AS other_started_at,
    b.duration_ms AS other_duration_ms, b.response_id AS other_response_id, b.error_type AS other_error_type,
    b.counted AS other_counted, b.input_text AS other_inputs, b.output_text AS other_outputs
FROM near AS a
JOIN call AS b ON b.slot = a.meeting AND b.deployment = a.deployment AND b.input_text = a.input_text
    AND b.output_text = a.output_text
WHERE a.id <> b.id AND (a.id < b.id OR NOT b.is_nameless) AND a.trace_id IS DISTINCT FROM b.trace_id
    AND (a.conversation_id = b.conversation_id OR a.conversation_id IS NULL OR b.conversation_id IS NULL)
    AND (a.convention <> b.convention OR a.error_type IS DISTINCT FROM b.error_type OR b.response_id IS NOT NULL)
ORDER BY one_id, other_id
LIMIT $limit
