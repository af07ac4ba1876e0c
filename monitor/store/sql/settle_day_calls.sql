-- Store the counts of one UTC day: of each deployment of the batch and of each of its versions.
INSERT INTO day_traffic BY NAME
WITH traffic AS (
    SELECT interaction.deployment, identity AS version, status, refusal, started_at, duration_ms, input_tokens, output_tokens,
        interaction.cost_usd, cost_source, price_table, batch.cost_of_calls, batch.input_usd_per_mtok, batch.output_usd_per_mtok
    FROM current_interaction AS interaction
    JOIN batch ON batch.deployment = interaction.deployment
    WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
),
newest AS (
    SELECT deployment, max_by(price_table, (started_at, price_table)) FILTER (price_table IS NOT NULL) AS price_table
    FROM traffic
    GROUP BY deployment
),
call AS (
    SELECT traffic.*, CASE WHEN status = 'ok' THEN duration_ms END AS latency,
        CASE WHEN status = 'ok' AND cost_of_calls AND cost_source = 'emitted' THEN cost_usd END AS stated,
        CASE
            WHEN status <> 'ok' THEN NULL
            WHEN cost_of_calls THEN CASE WHEN cost_source = 'emitted' OR traffic.price_table = newest.price_table THEN cost_usd END
            ELSE (input_usd_per_mtok * input_tokens + output_usd_per_mtok * output_tokens) / 1e6
        END AS price
    FROM traffic
    JOIN newest ON newest.deployment = traffic.deployment
)
SELECT deployment, CAST($day AS DATE) AS "day", version, grouping(version) = 1 AS whole, count(*) AS calls,
    count(*) FILTER (status = 'error') AS failed, count(refusal) AS classified,
    count(*) FILTER (refusal <> 'unknown') AS worded, count(*) FILTER (refusal = 'yes') AS refused,
    count(latency) AS timed, quantile_disc(latency, 0.5) AS latency_ms, quantile_disc(latency, 0.95) AS latency_p95_ms,
    count(price) AS priced, quantile_disc(price, 0.5) AS cost_usd,
    count(stated) AS emitted, quantile_disc(stated, 0.5) AS emitted_usd,
    count(coalesce(input_tokens, output_tokens)) AS counted, CAST(coalesce(sum(input_tokens), 0) AS BIGINT) AS input_tokens,
    CAST(coalesce(sum(output_tokens), 0) AS BIGINT) AS output_tokens, count(call.cost_usd) AS spent,
    coalesce(round(sum(call.cost_usd), 9), 0) AS spent_usd, max(started_at) AS last_at
FROM call
GROUP BY GROUPING SETS ((deployment, version), (deployment))
