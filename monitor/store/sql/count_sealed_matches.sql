-- How many calls of production held a sealed question word for word, and were kept without their texts?
SELECT count(*) AS calls, max(started_at) AS last_at
FROM interaction
WHERE origin = 'sealed_match' AND duplicate_of IS NULL AND started_at >= $since
