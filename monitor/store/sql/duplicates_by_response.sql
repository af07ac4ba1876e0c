-- Which reports of calls in different traces have the same response id? At least one of the two is new.
-- NOT MATERIALIZED: DuckDB 2.0.0 never ends a LIMIT over the join of a materialized CTE with itself, from about 65,000 rows on.
WITH call AS NOT MATERIALIZED (
    SELECT id, deployment, trace_id, response_id, started_at, received_at >= $since AS is_new
    FROM current_interaction
    WHERE received_at >= $calls_since AND origin = 'production' AND duplicate_of IS NULL AND span_id IS NOT NULL AND response_id IS NOT NULL
),
found AS (
    SELECT fresh.id AS one, same.id AS other
    FROM call AS fresh
    JOIN call AS same ON same.response_id = fresh.response_id AND same.deployment = fresh.deployment
    WHERE fresh.is_new AND same.trace_id IS DISTINCT FROM fresh.trace_id AND (fresh.id < same.id OR NOT same.is_new)
        AND abs(epoch_ms(fresh.started_at) - epoch_ms(same.started_at)) <= $apart_ms
    LIMIT $limit
),
reports AS (
    SELECT id, convention, status, started_at, duration_ms, response_id, error_type, input_tokens IS NOT NULL AS counted
    FROM current_interaction
    WHERE received_at >= $calls_since AND id IN (SELECT one FROM found UNION SELECT other FROM found)
)
SELECT
    a.id AS one_id, a.convention AS one_convention, a.status AS one_status, a.started_at AS one_started_at,
    a.duration_ms AS one_duration_ms, a.response_id AS one_response_id, a.error_type AS one_error_type, a.counted AS one_counted,
    b.id AS other_id, b.convention AS other_convention, b.status AS other_status, b.started_at AS other_started_at,
    b.duration_ms AS other_duration_ms, b.response_id AS other_response_id, b.error_type AS other_error_type,
    b.counted AS other_counted
FROM found
JOIN reports AS a ON a.id = found.one
JOIN reports AS b ON b.id = found.other
ORDER BY one_id, other_id
