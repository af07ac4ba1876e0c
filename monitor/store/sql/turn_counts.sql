-- How many answered calls without an explicit correction have a judged turn, and how many a flagged one, by day and version?
-- A turn counts on the answer that it is about, and on its own call when that answer is not stored. Turns that an explicit
-- event decided are left out: the event counts.
WITH explicit AS (
    SELECT linked_interaction_id AS id, max("at") AS "at"
    FROM current_feedback AS signal
    WHERE is_correction AND linked_interaction_id IS NOT NULL
        AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
    GROUP BY linked_interaction_id
),
turn AS (
    SELECT coalesce(turn_signal.answer_id, turn_signal.interaction_id) AS id, bool_or(turn_signal.flagged) AS flagged
    FROM current_turn_signal AS turn_signal
    JOIN current_interaction AS own ON own.id = turn_signal.interaction_id AND own.duplicate_of IS NULL
    WHERE turn_signal.deployment = $deployment AND turn_signal.version = $version AND turn_signal.detector <> 'event'
        AND turn_signal.code <> 'abandon'
    GROUP BY ALL
)
SELECT CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day", identity AS version, count(*) AS turns,
    count(*) FILTER (turn.flagged) AS flagged
FROM current_interaction AS interaction
JOIN turn ON turn.id = interaction.id
ANTI JOIN explicit ON explicit.id = interaction.id AND explicit."at" >= date_trunc('day', interaction.started_at)
WHERE interaction.deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND status <> 'error'
    AND started_at >= $since AND started_at < $until
GROUP BY ALL
