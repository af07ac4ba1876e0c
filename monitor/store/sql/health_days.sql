-- What were the figures of the health of the set on each day, the oldest first?
SELECT * EXCLUDE (set_name, deployments)
FROM set_health_day
WHERE set_name = $name AND deployments = $deployments AND "day" >= $since
ORDER BY "day"
