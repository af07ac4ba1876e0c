-- Which days in [since, until) are settled for each of these deployments?
SELECT "day"
FROM settled_day
WHERE deployment IN (SELECT unnest($deployments::VARCHAR[])) AND "day" >= CAST($since AS DATE) AND "day" < CAST($until AS DATE)
GROUP BY "day"
HAVING count(DISTINCT deployment) = len(list_distinct($deployments::VARCHAR[]))
ORDER BY "day"
