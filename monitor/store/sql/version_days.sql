-- What are the counts of each UTC day of the production traffic of a deployment, by version?
WITH traffic AS (
    SELECT id, CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day", identity AS version, status, refusal, input_tokens,
        output_tokens, cost_usd, CASE WHEN status = 'ok' THEN duration_ms END AS latency
    FROM current_interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
),
corrected AS (
    SELECT traffic."day", traffic.version, count(DISTINCT traffic.id) AS corrected
    FROM traffic
    JOIN current_feedback AS signal ON signal.linked_interaction_id = traffic.id
    -- A correction of the window arrives after the start of its first day: the join needs no older one.
    WHERE is_correction AND "at" >= $since - INTERVAL 1 DAY AND status <> 'error'
        AND CAST("at" AT TIME ZONE 'UTC' AS DATE) - traffic."day" BETWEEN 0 AND $late_days
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY ALL
),
counted AS (
    SELECT "day", version, count(*) AS calls, count(*) FILTER (status = 'error') AS failed, count(refusal) AS classified,
        count(*) FILTER (refusal <> 'unknown') AS worded, count(*) FILTER (refusal = 'yes') AS refused,
        count(latency) AS timed, quantile_disc(latency, 0.5) AS latency_ms, quantile_disc(latency, 0.95) AS latency_p95_ms,
        count(coalesce(input_tokens, output_tokens)) AS counted, CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input_tokens,
        CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens, count(cost_usd) AS spent,
        coalesce(round(sum(cost_usd), 9), 0) AS spent_usd
    FROM traffic
    GROUP BY ALL
)
SELECT counted.*, coalesce(corrected.corrected, 0) AS corrected
FROM counted
LEFT JOIN corrected ON corrected."day" = counted."day" AND corrected.version IS NOT DISTINCT FROM counted.version
ORDER BY ALL
