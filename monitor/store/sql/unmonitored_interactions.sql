-- How many production interactions since then have a deployment that is not monitored?
SELECT deployment, count(*) AS interactions
FROM current_interaction
WHERE started_at >= $since AND origin = 'production' AND duplicate_of IS NULL AND NOT list_contains($monitored::VARCHAR[], deployment)
GROUP BY deployment
ORDER BY interactions DESC, deployment
LIMIT $limit
