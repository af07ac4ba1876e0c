-- Store the distribution of the latencies of one UTC day: of each version of each deployment of the batch.
INSERT INTO day_latency BY NAME
SELECT interaction.deployment, CAST($day AS DATE) AS "day", identity AS version,
    CAST(floor(8 * log2(greatest(duration_ms, 1))) AS BIGINT) AS bin, count(*) AS calls
FROM current_interaction AS interaction
JOIN batch ON batch.deployment = interaction.deployment
WHERE origin = 'production' AND duplicate_of IS NULL AND status = 'ok' AND duration_ms IS NOT NULL
    AND started_at >= $since AND started_at < $until
GROUP BY ALL
