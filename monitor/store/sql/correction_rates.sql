-- How many production calls did each deployment have in the window, and how many corrections came in?
WITH asked AS (
    SELECT deployment, count(*) AS calls
    FROM interaction
    WHERE origin = 'production' AND dup_of IS NULL AND started_at >= $since AND started_at < $until
    GROUP BY deployment
),
said AS (
    SELECT deployment, count(*) AS corrections
    FROM feedback
    WHERE is_correction AND "at" >= $since AND "at" < $until
        AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
    GROUP BY deployment
)
SELECT asked.deployment, asked.calls, coalesce(said.corrections, 0) AS corrections
FROM asked
LEFT JOIN said ON said.deployment = asked.deployment
