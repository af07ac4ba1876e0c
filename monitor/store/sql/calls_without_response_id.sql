-- When did the new calls without a response id start and end?
SELECT min(started_at) AS first_at, max(started_at) AS last_at
FROM current_interaction
WHERE received_at >= $since AND origin = 'production' AND duplicate_of IS NULL AND span_id IS NOT NULL AND response_id IS NULL
