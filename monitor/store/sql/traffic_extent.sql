-- Since when are calls stored, and of which deployments?
SELECT deployment, min(started_at) AS first_at
FROM current_interaction
WHERE started_at >= $since AND started_at < $until
GROUP BY deployment
