-- How many production calls do these deployments have on each of these settled days?
SELECT deployment, "day", calls
FROM day_traffic
WHERE whole AND deployment IN (SELECT unnest($deployments::VARCHAR[])) AND "day" IN (SELECT unnest($days::DATE[]))
