-- How many production interactions does each complete day of the window have, and how many corrections arrived on it?
WITH traffic AS (
    SELECT date_trunc('day', started_at AT TIME ZONE 'UTC') AS "day", count(*) AS interactions
    FROM interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
        AND started_at >= $since AND started_at < $until
    GROUP BY ALL
),
signals AS (
    SELECT date_trunc('day', "at" AT TIME ZONE 'UTC') AS "day", count(*) AS corrections
    FROM feedback
    WHERE deployment = $deployment AND is_correction AND "at" >= $since AND "at" < $until
        AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
    GROUP BY ALL
)
SELECT traffic.interactions, coalesce(signals.corrections, 0) AS corrections
FROM traffic
LEFT JOIN signals ON signals."day" = traffic."day"
ORDER BY traffic."day"
