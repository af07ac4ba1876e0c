-- What is the distribution of latencies over settled days of a deployment, by version?
SELECT version, bin, CAST(sum(calls) AS BIGINT) AS calls
FROM day_latency
WHERE deployment = $deployment AND "day" >= CAST($since AS DATE) AND "day" < CAST($until AS DATE)
GROUP BY version, bin
