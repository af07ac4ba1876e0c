-- Which settled days have another number of stored calls or of corrections of them than when they were settled?
WITH call AS (
    SELECT id, deployment, CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day"
    FROM current_interaction
    WHERE started_at < $before
),
calls AS (
    SELECT deployment, "day", count(*) AS stored
    FROM call
    GROUP BY ALL
),
signals AS (
    SELECT call.deployment, call."day", count(*) AS signals
    FROM call
    JOIN correction_signal ON correction_signal.interaction_id = call.id
    GROUP BY ALL
)
SELECT settled_day.deployment, settled_day."day"
FROM settled_day
LEFT JOIN calls ON calls.deployment = settled_day.deployment AND calls."day" = settled_day."day"
LEFT JOIN signals ON signals.deployment = settled_day.deployment AND signals."day" = settled_day."day"
WHERE settled_day.stored <> coalesce(calls.stored, 0) OR settled_day.signals <> coalesce(signals.signals, 0)
