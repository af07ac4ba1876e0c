-- How many production interactions since then name a deployment that is not among those watched?
SELECT deployment, count(*) AS interactions
FROM interaction
WHERE started_at >= $since AND origin = 'production' AND dup_of IS NULL AND NOT list_contains($watched::VARCHAR[], deployment)
GROUP BY deployment
ORDER BY interactions DESC, deployment
LIMIT $limit
