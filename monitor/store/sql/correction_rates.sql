-- How many production calls does each deployment have in the window, and how many corrections arrived?
WITH traffic AS (
    SELECT deployment, count(*) AS calls
    FROM current_interaction
    WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
    GROUP BY deployment
),
signals AS (
    SELECT deployment, count(*) AS corrections
    FROM current_feedback AS signal
    WHERE is_correction AND "at" >= $since AND "at" < $until
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY deployment
)
SELECT traffic.deployment, traffic.calls, coalesce(signals.corrections, 0) AS corrections
FROM traffic
LEFT JOIN signals ON signals.deployment = traffic.deployment
