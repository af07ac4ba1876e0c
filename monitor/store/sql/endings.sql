-- Which is the last call of each conversation in the window, if its answer has no information?
-- Only conversations with such an answer are ordered: ordering the calls of all takes most of the time.
WITH traffic AS (
    SELECT id, identity AS version, conversation_id, started_at, status <> 'ok' OR refusal = 'yes' OR output_text = ''
        -- Only a text that begins with a space can consist of spaces: trimming every text takes most of the time.
        OR CASE WHEN strpos($space, left(output_text, 1)) > 0 THEN trim(output_text, $space) = '' ELSE false END AS silent
    FROM current_interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND conversation_id IS NOT NULL
        AND started_at >= $since AND started_at < $until
),
last_call AS (
    SELECT version, conversation_id, started_at, silent
    FROM traffic
    SEMI JOIN (SELECT conversation_id FROM traffic WHERE silent) AS found ON found.conversation_id = traffic.conversation_id
    QUALIFY row_number() OVER (PARTITION BY conversation_id ORDER BY started_at DESC, id DESC) = 1
)
SELECT version, conversation_id, started_at FROM last_call WHERE silent
