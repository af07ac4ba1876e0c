-- How many production calls does each of the two windows contain?
SELECT count(*) FILTER (WHERE started_at < $since) AS reference, count(*) FILTER (WHERE started_at >= $since) AS now
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
    AND started_at >= $reference_since AND started_at < $until
