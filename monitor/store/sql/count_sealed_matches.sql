-- How many production calls contained a sealed question exactly, and were stored without their texts?
SELECT count(*) AS calls, max(started_at) AS last_at
FROM current_interaction
WHERE origin = 'sealed_match' AND duplicate_of IS NULL AND started_at >= $since
