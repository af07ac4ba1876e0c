-- Which reports of a call may be of the same call as another, by the id of its response or as a span in its span?
-- At least one of the two is new. `nested`: the second is within the first.
WITH call AS (
    SELECT id, deployment, trace_id, span_id, parent_span_id, response_id, started_at, received_at >= $since AS is_new
    FROM interaction
    WHERE received_at >= $calls_since AND origin = 'production' AND dup_of IS NULL AND span_id IS NOT NULL
),
fresh AS (
    SELECT * FROM call WHERE is_new
),
pair AS (
    SELECT outside.id AS one, fresh.id AS other, true AS nested
    FROM fresh
    JOIN call AS outside ON outside.trace_id = fresh.trace_id AND outside.span_id = fresh.parent_span_id
    UNION
    SELECT fresh.id, inside.id, true
    FROM fresh
    JOIN call AS inside ON inside.trace_id = fresh.trace_id AND inside.parent_span_id = fresh.span_id
    UNION
    SELECT fresh.id, same.id, false
    FROM fresh
    JOIN call AS same ON same.response_id = fresh.response_id AND same.deployment = fresh.deployment
    WHERE same.id <> fresh.id AND (fresh.id < same.id OR NOT same.is_new)
        AND abs(epoch_ms(fresh.started_at) - epoch_ms(same.started_at)) <= $apart_ms
),
found AS (
    SELECT * FROM pair LIMIT $limit
),
told AS (
    SELECT id, convention, status, started_at, duration_ms, response_id, error_type, input_tokens IS NOT NULL AS counted
    FROM interaction
    WHERE received_at >= $calls_since AND id IN (SELECT one FROM found UNION SELECT other FROM found)
)
SELECT found.nested,
    a.id AS one_id, a.convention AS one_convention, a.status AS one_status, a.started_at AS one_started_at,
    a.duration_ms AS one_duration_ms, a.response_id AS one_response_id, a.error_type AS one_error_type, a.counted AS one_counted,
    b.id AS other_id, b.convention AS other_convention, b.status AS other_status, b.started_at AS other_started_at,
    b.duration_ms AS other_duration_ms, b.response_id AS other_response_id, b.error_type AS other_error_type,
    b.counted AS other_counted
FROM found
JOIN told AS a ON a.id = found.one
JOIN told AS b ON b.id = found.other
ORDER BY one_id, other_id, found.nested
