-- What are the counts of each UTC day of the production traffic of a deployment? A day without a call has no row.
-- Computed costs count only with the price table $price_table, the newest: a new table is not a change of the product. The refusals of a day
-- are unknown until all of its calls are classified: `refusal` is NULL in rows of an older driftd.
WITH call AS (
    SELECT epoch_us(started_at) // 86400000000 AS epoch_day, status, refusal,
        CASE WHEN status = 'ok' THEN duration_ms END AS latency_ms,
        CASE
            WHEN status <> 'ok' THEN NULL
            WHEN $cost_of_calls THEN CASE WHEN cost_source = 'emitted' OR interaction.price_table = $price_table::VARCHAR THEN cost_usd END
            ELSE ($input_usd_per_mtok::DOUBLE * input_tokens + $output_usd_per_mtok::DOUBLE * output_tokens) / 1e6
        END AS cost_usd
    FROM current_interaction AS interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
)
SELECT DATE '1970-01-01' + CAST(epoch_day AS INTEGER) AS "day", count(*) AS calls,
    count(*) FILTER (status = 'error') AS failed, count(*) FILTER (status <> 'error') AS answered,
    CASE WHEN count(refusal) = count(*) THEN count(*) FILTER (refusal <> 'unknown') ELSE 0 END AS worded,
    CASE WHEN count(refusal) = count(*) THEN count(*) FILTER (refusal = 'yes') ELSE 0 END AS refused,
    count(latency_ms) AS timed, quantile_disc(latency_ms, 0.5) AS latency_ms,
    count(cost_usd) AS priced, quantile_disc(cost_usd, 0.5) AS cost_usd
FROM call
GROUP BY epoch_day
ORDER BY epoch_day
