-- How many answered calls of each category or route were corrected in the window: explicitly, or by a flagged turn?
-- An explicit correction that arrived before the day of its call does not count.
-- A turn counts on the answer that it is about, and on its own call when that answer is not stored. Turns that an explicit
-- event decided are left out: the event counts. `abandoned`: conversations that ended after an answer without information.
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
),
call AS (
    SELECT id, conversation_id, started_at, status, refusal, output_text, CASE $by
        WHEN 'category' THEN category
        WHEN 'route' THEN coalesce(
            attributes ->> '$."driftd.route"', attributes ->> '$."http.route"', prompt_id
        ) END AS "group"
    FROM current_interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
        AND started_at >= $since AND started_at < $until
),
ended AS (
    SELECT id, "group"
    FROM call
    WHERE conversation_id IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY conversation_id ORDER BY started_at DESC, id DESC) = 1
        AND started_at < $ended_before AND (
            status <> 'ok' OR refusal = 'yes' OR output_text = ''
            -- Only a text that begins with a space can consist of spaces: trimming every text takes most of the time.
            OR CASE WHEN strpos($space, left(output_text, 1)) > 0 THEN trim(output_text, $space) = '' ELSE false END
        )
),
abandoned AS (
    SELECT "group", count(*) AS abandoned FROM ended GROUP BY "group"
),
counted AS (
    SELECT call."group", count(*) AS interactions, count(explicit.id) AS explicit,
        count(turn.id) FILTER (explicit.id IS NULL) AS turns,
        count(*) FILTER (turn.flagged AND explicit.id IS NULL) AS flagged
    FROM call
    LEFT JOIN explicit ON explicit.id = call.id AND explicit."at" >= date_trunc('day', call.started_at)
    LEFT JOIN turn ON turn.id = call.id
    WHERE call.status <> 'error'
    GROUP BY call."group"
)
SELECT counted.*, coalesce(abandoned.abandoned, 0) AS abandoned
FROM counted
LEFT JOIN abandoned ON abandoned."group" IS NOT DISTINCT FROM counted."group"
ORDER BY counted."group" NULLS LAST
