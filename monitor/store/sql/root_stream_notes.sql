-- Is there a report without duration that is the root of its trace?
SELECT id
FROM current_interaction
WHERE received_at >= $calls_since AND duration_ms = 0 AND parent_span_id IS NULL AND span_id IS NOT NULL
    AND origin = 'production'
LIMIT 1
