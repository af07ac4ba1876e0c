-- How many production calls of each deployment arrived in each hour? Hours are counted since 1970-01-01.
SELECT deployment, CAST(floor(epoch(received_at) / 3600) AS BIGINT) AS hour, count(*) AS calls
FROM current_interaction
WHERE received_at >= $since AND received_at < $until AND origin = 'production' AND duplicate_of IS NULL
GROUP BY ALL
ORDER BY deployment, hour
