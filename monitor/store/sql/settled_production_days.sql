-- What are the stored counts of the settled days of the production traffic of a deployment? A day without a call has no row.
SELECT "day", calls, failed, calls - failed AS answered, CASE WHEN classified = calls THEN worded ELSE 0 END AS worded,
    CASE WHEN classified = calls THEN refused ELSE 0 END AS refused, timed, latency_ms, priced, cost_usd, emitted, emitted_usd
FROM day_traffic
WHERE deployment = $deployment AND whole AND "day" >= CAST($since AS DATE) AND "day" < CAST($until AS DATE)
ORDER BY "day"
