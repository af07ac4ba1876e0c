-- Which versions answered the production calls of the deployment in the window, and how many calls each?
SELECT identity AS version, count(*) AS calls, max(started_at) AS last_at
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
    AND started_at >= $since AND started_at < $until AND identity IS NOT NULL
GROUP BY identity
