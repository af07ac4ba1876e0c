-- How many conversations ended after an answer without information, by the day and the version of that answer?
-- The batch has the last call of each conversation in each window that is not settled. A conversation with a later call
-- did not end there: on a later settled day, or in one of these windows. Settled days begin and end at midnight.
WITH ending AS (
    SELECT version, CAST(md5_number_lower(conversation_id) >> 1 AS BIGINT) AS conversation, started_at
    FROM day_ending
    WHERE deployment = $deployment AND "day" >= CAST($first AS DATE) AND "day" < CAST($after AS DATE)
    UNION ALL
    SELECT version, conversation, started_at FROM batch WHERE ended
),
later AS (
    SELECT conversation, CAST("day" AS TIMESTAMP) AT TIME ZONE 'UTC' AS started_at
    FROM day_conversation
    WHERE deployment = $deployment AND "day" >= CAST($first AS DATE) AND "day" < CAST($after AS DATE)
        AND conversation IN (SELECT conversation FROM ending)
    UNION ALL
    SELECT conversation, started_at FROM batch
),
latest AS (
    SELECT conversation, max(started_at) AS started_at FROM later GROUP BY conversation
)
SELECT CAST(ending.started_at AT TIME ZONE 'UTC' AS DATE) AS "day", ending.version, count(*) AS abandoned
FROM ending
LEFT JOIN latest ON latest.conversation = ending.conversation AND latest.started_at > ending.started_at
WHERE latest.conversation IS NULL AND ending.started_at < $ended_before
GROUP BY ALL
