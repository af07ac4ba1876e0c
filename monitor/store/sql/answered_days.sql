-- How many calls of each UTC day failed, and how many were corrected, by version?
WITH traffic AS (
    SELECT id, CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day", identity AS version, status
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
    SELECT "day", version, count(*) AS calls, count(*) FILTER (status = 'error') AS failed FROM traffic GROUP BY ALL
)
SELECT counted.*, coalesce(corrected.corrected, 0) AS corrected
FROM counted
LEFT JOIN corrected ON corrected."day" = counted."day" AND corrected.version IS NOT DISTINCT FROM counted.version
