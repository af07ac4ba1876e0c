-- How many production calls do these deployments have on these settled days together?
SELECT deployment, CAST(sum(calls) AS BIGINT) AS calls
FROM day_traffic
WHERE whole AND deployment IN (SELECT unnest($deployments::VARCHAR[])) AND "day" IN (SELECT unnest($days::DATE[]))
GROUP BY deployment
