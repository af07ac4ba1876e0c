-- Store the conversations of one UTC day.
INSERT INTO day_conversation BY NAME
SELECT DISTINCT interaction.deployment, CAST($day AS DATE) AS "day", CAST(md5_number_lower(conversation_id) >> 1 AS BIGINT) AS conversation
FROM interaction
JOIN batch ON batch.deployment = interaction.deployment
WHERE origin = 'production' AND duplicate_of IS NULL AND conversation_id IS NOT NULL
    AND started_at >= $since AND started_at < $until
