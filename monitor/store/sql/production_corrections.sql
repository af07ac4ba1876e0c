-- How many answered calls of each UTC day were corrected?
-- A day without a corrected call has no row. A correction counts on the day of its call, if it arrived on that day or before
-- the end of the late days, so every day has the same time.
WITH correction AS (
    SELECT linked_interaction_id AS id, "at"
    FROM current_feedback AS signal
    WHERE is_correction AND linked_interaction_id IS NOT NULL AND "at" >= $since
        AND "at" < CAST($until AS TIMESTAMPTZ) + to_days(CAST($late_days AS INTEGER) + 1) -- of any day of the window
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
),
call AS (
    SELECT interaction.id, epoch_us(interaction.started_at) // 86400000000 AS epoch_day, epoch_us(correction."at") AS at_us
    FROM current_interaction AS interaction
    JOIN correction ON correction.id = interaction.id
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND status <> 'error'
        AND started_at >= $since AND started_at < $until
)
SELECT DATE '1970-01-01' + CAST(epoch_day AS INTEGER) AS "day", count(DISTINCT id) AS corrected
FROM call
WHERE at_us >= epoch_day * 86400000000 AND at_us < (epoch_day + CAST($late_days AS BIGINT) + 1) * 86400000000
GROUP BY epoch_day
