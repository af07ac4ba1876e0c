-- What is the distribution of the latencies of complete production calls, by version?
SELECT identity AS version, CAST(floor(8 * log2(greatest(duration_ms, 1))) AS BIGINT) AS bin, count(*) AS calls
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND status = 'ok' AND duration_ms IS NOT NULL
    AND started_at >= $since AND started_at < $until
GROUP BY ALL
