-- Mark one UTC day as settled for each deployment of the batch, also when it has no call.
INSERT INTO settled_day BY NAME
WITH call AS (
    SELECT id, deployment, started_at, price_table, origin = 'production' AND duplicate_of IS NULL AS counts
    FROM current_interaction
    WHERE started_at >= $since AND started_at < $until
),
signal AS (
    SELECT call.deployment, count(*) AS signals
    FROM call
    JOIN correction_signal ON correction_signal.interaction_id = call.id
    GROUP BY call.deployment
)
SELECT batch.deployment, CAST($day AS DATE) AS "day", batch.prices, count(call.id) AS stored,
    coalesce(max(signal.signals), 0) AS signals,
    max_by(call.price_table, (call.started_at, call.price_table)) FILTER (call.counts AND call.price_table IS NOT NULL) AS price_table,
    max(call.started_at) FILTER (call.counts AND call.price_table IS NOT NULL) AS priced_at,
    count(DISTINCT call.price_table) FILTER (call.counts) AS price_tables
FROM batch
LEFT JOIN call ON call.deployment = batch.deployment
LEFT JOIN signal ON signal.deployment = batch.deployment
GROUP BY batch.deployment, batch.prices
