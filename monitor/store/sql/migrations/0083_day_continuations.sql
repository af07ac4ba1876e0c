-- The conversations that ended a settled day without information and had another call on a later settled day.

CREATE TABLE day_continuation (
    deployment VARCHAR NOT NULL, ended_on DATE NOT NULL, continued_on DATE NOT NULL, conversation_id VARCHAR NOT NULL
);

INSERT INTO day_continuation BY NAME
WITH continued AS (
    SELECT DISTINCT interaction.deployment, day_ending."day" AS ended_on,
        CAST(interaction.started_at AT TIME ZONE 'UTC' AS DATE) AS continued_on, interaction.conversation_id
    FROM interaction
    JOIN day_ending ON day_ending.deployment = interaction.deployment
        AND day_ending.conversation_id = interaction.conversation_id AND interaction.started_at > day_ending.started_at
    WHERE origin = 'production' AND duplicate_of IS NULL
)
SELECT continued.*
FROM continued
SEMI JOIN settled_day ON settled_day.deployment = continued.deployment AND settled_day."day" = continued.continued_on
WHERE continued_on - ended_on <= 100;
