-- How many conversations ended after an answer without information, by the day and the version of that answer?
-- The endings are those of settled days, and those of the batch. A conversation with a later call in the window did not end
-- there: later calls on settled days are stored, those since $searched_since are searched. Within a day an ending is the last
-- call, so a later call starts later.
WITH ending AS (
    SELECT version, conversation_id, started_at
    FROM day_ending
    ANTI JOIN (
        SELECT ended_on, conversation_id
        FROM day_continuation
        WHERE deployment = $deployment AND continued_on < CAST($after AS DATE)
    ) AS continuation ON continuation.ended_on = "day" AND continuation.conversation_id = day_ending.conversation_id
    WHERE deployment = $deployment AND "day" >= CAST($first AS DATE) AND "day" < CAST($after AS DATE)
    UNION ALL
    SELECT version, conversation_id, started_at FROM batch
),
continued AS (
    SELECT DISTINCT ending.conversation_id, ending.started_at
    FROM current_interaction AS interaction
    JOIN ending ON ending.conversation_id = interaction.conversation_id AND interaction.started_at > ending.started_at
    WHERE interaction.deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL
        AND interaction.started_at >= $searched_since AND interaction.started_at < $until
)
SELECT CAST(ending.started_at AT TIME ZONE 'UTC' AS DATE) AS "day", ending.version, count(*) AS abandoned
FROM ending
ANTI JOIN continued ON continued.conversation_id = ending.conversation_id AND continued.started_at = ending.started_at
WHERE ending.started_at < $ended_before
GROUP BY ALL
