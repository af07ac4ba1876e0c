-- How many answered calls of each UTC day did a later turn of the user correct, without an explicit correction?
-- A day without such a call has no row. As for explicit corrections, the turn counts on the day of the answer if it
-- arrived before the end of the late days.
WITH explicit AS (
    SELECT linked_interaction_id AS id, min("at") AS "at"
    FROM current_feedback AS signal
    WHERE is_correction AND linked_interaction_id IS NOT NULL AND "at" >= $since
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY linked_interaction_id
),
turn AS (
    SELECT coalesce(turn_signal.answer_id, turn_signal.interaction_id) AS id, min(turn_signal."at") AS "at"
    FROM current_turn_signal AS turn_signal
    JOIN current_interaction AS own ON own.id = turn_signal.interaction_id AND own.duplicate_of IS NULL
    WHERE turn_signal.deployment = $deployment AND turn_signal.version = $version AND turn_signal.flagged
        AND turn_signal.detector <> 'event' AND turn_signal.code <> 'abandon' AND turn_signal."at" >= $since
    GROUP BY ALL
),
call AS (
    SELECT interaction.id, turn."at" AS turned_at, explicit."at" AS corrected_at,
        epoch_us(interaction.started_at) // 86400000000 AS epoch_day,
        (epoch_us(interaction.started_at) // 86400000000 + CAST($late_days AS BIGINT) + 1) * 86400000000 AS closes
    FROM current_interaction AS interaction
    JOIN turn ON turn.id = interaction.id
    LEFT JOIN explicit ON explicit.id = interaction.id
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND status <> 'error'
        AND started_at >= $since AND started_at < $until
)
SELECT DATE '1970-01-01' + CAST(epoch_day AS INTEGER) AS "day", count(*) AS implicit
FROM call
WHERE epoch_us(turned_at) < closes AND (corrected_at IS NULL OR epoch_us(corrected_at) >= closes)
GROUP BY epoch_day
