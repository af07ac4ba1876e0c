-- Which reports of a call may be of the same call as another, by the id of its response or as a span in its span?
-- At least one of the two is new. `nested`: the second is within the first.
WITH call AS (
    SELECT id, deployment, trace_id, span_id, parent_span_id, response_id, convention, status, error_type, started_at, duration_ms,
        input_tokens IS NOT NULL AS counted, received_at >= $since AS is_new
    FROM interaction
    WHERE received_at >= $calls_since AND origin = 'production' AND dup_of IS NULL AND span_id IS NOT NULL
),
pair AS (
    SELECT one.id AS one, other.id AS other, true AS nested
    FROM call AS one
    JOIN call AS other ON other.trace_id = one.trace_id AND other.parent_span_id = one.span_id
    WHERE one.is_new OR other.is_new
    UNION ALL
    SELECT one.id, other.id, false
    FROM call AS one
    JOIN call AS other ON other.response_id = one.response_id AND other.deployment = one.deployment
    WHERE one.is_new AND (one.id < other.id OR NOT other.is_new) AND one.id <> other.id
        AND abs(epoch_ms(one.started_at) - epoch_ms(other.started_at)) <= $apart_ms
)
SELECT pair.nested,
    a.id AS one_id, a.convention AS one_convention, a.status AS one_status, a.started_at AS one_started_at,
    a.duration_ms AS one_duration_ms, a.response_id AS one_response_id, a.error_type AS one_error_type, a.counted AS one_counted,
    b.id AS other_id, b.convention AS other_convention, b.status AS other_status, b.started_at AS other_started_at,
    b.duration_ms AS other_duration_ms, b.response_id AS other_response_id, b.error_type AS other_error_type,
    b.counted AS other_counted
FROM pair
JOIN call AS a ON a.id = pair.one
JOIN call AS b ON b.id = pair.other
ORDER BY one_id, other_id, nested
LIMIT $limit
