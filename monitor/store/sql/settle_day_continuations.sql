-- Store which endings of one UTC day continue on a later settled day, and which of earlier settled days continue on this day.
INSERT INTO day_continuation BY NAME
WITH earlier AS (
    SELECT DISTINCT interaction.deployment, day_ending."day" AS ended_on, CAST($day AS DATE) AS continued_on,
        interaction.conversation_id
    FROM current_interaction AS interaction
    JOIN day_ending ON day_ending.deployment = interaction.deployment
        AND day_ending.conversation_id = interaction.conversation_id
    SEMI JOIN batch ON batch.deployment = interaction.deployment
    WHERE origin = 'production' AND duplicate_of IS NULL AND interaction.started_at >= $since AND interaction.started_at < $until
        AND day_ending."day" < CAST($day AS DATE) AND day_ending."day" >= CAST($reach_since AS DATE)
),
later AS (
    SELECT DISTINCT interaction.deployment, CAST($day AS DATE) AS ended_on,
        CAST(interaction.started_at AT TIME ZONE 'UTC' AS DATE) AS continued_on, interaction.conversation_id
    FROM current_interaction AS interaction
    JOIN day_ending ON day_ending.deployment = interaction.deployment
        AND day_ending.conversation_id = interaction.conversation_id
    SEMI JOIN batch ON batch.deployment = interaction.deployment
    WHERE origin = 'production' AND duplicate_of IS NULL AND interaction.started_at >= $until
        AND interaction.started_at < $reach_until AND day_ending."day" = CAST($day AS DATE)
)
SELECT deployment, ended_on, continued_on, conversation_id FROM earlier
UNION ALL
SELECT later.deployment, ended_on, continued_on, conversation_id
FROM later
SEMI JOIN settled_day ON settled_day.deployment = later.deployment AND settled_day."day" = later.continued_on
