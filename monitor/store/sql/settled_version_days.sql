-- What are the stored counts of the settled days of a deployment, by version?
WITH corrected AS (
    SELECT "day", version, CAST(sum(calls) AS BIGINT) AS corrected
    FROM day_correction
    WHERE deployment = $deployment AND NOT whole AND "day" >= CAST($since AS DATE) AND "day" < CAST($until AS DATE)
        AND late_days BETWEEN 0 AND $late_days
    GROUP BY "day", version
)
SELECT day_traffic."day", day_traffic.version, calls, failed, classified, worded, refused, coalesce(corrected, 0) AS corrected,
    timed, latency_ms, latency_p95_ms, counted, input_tokens, output_tokens, spent, spent_usd
FROM day_traffic
LEFT JOIN corrected ON corrected."day" = day_traffic."day" AND corrected.version IS NOT DISTINCT FROM day_traffic.version
WHERE deployment = $deployment AND NOT whole AND day_traffic."day" >= CAST($since AS DATE) AND day_traffic."day" < CAST($until AS DATE)
ORDER BY ALL
