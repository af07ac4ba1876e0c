-- Store the last call of each conversation on one UTC day, if its answer has no information.
-- Only conversations with such an answer are ordered: ordering the calls of all takes most of the time.
INSERT INTO day_ending BY NAME
WITH traffic AS (
    SELECT interaction.deployment, id, identity AS version, conversation_id, started_at,
        status <> 'ok' OR refusal = 'yes' OR output_text = ''
        -- Only a text that begins with a space can consist of spaces: trimming every text takes most of the time.
        OR CASE WHEN strpos($space, left(output_text, 1)) > 0 THEN trim(output_text, $space) = '' ELSE false END AS silent
    FROM current_interaction AS interaction
    JOIN batch ON batch.deployment = interaction.deployment
    WHERE origin = 'production' AND duplicate_of IS NULL AND conversation_id IS NOT NULL
        AND started_at >= $since AND started_at < $until
),
last_call AS (
    SELECT *
    FROM traffic
    SEMI JOIN (SELECT deployment, conversation_id FROM traffic WHERE silent) AS found
        ON found.deployment = traffic.deployment AND found.conversation_id = traffic.conversation_id
    QUALIFY row_number() OVER (PARTITION BY deployment, conversation_id ORDER BY started_at DESC, id DESC) = 1
)
SELECT deployment, CAST($day AS DATE) AS "day", version, conversation_id, started_at FROM last_call WHERE silent
