-- Which is the last call of each conversation in the window, if its answer has no information?
WITH last_call AS (
    SELECT identity AS version, conversation_id, started_at, status, refusal, output_text
    FROM interaction
    WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND conversation_id IS NOT NULL
        AND started_at >= $since AND started_at < $until
    QUALIFY row_number() OVER (PARTITION BY conversation_id ORDER BY started_at DESC, id DESC) = 1
)
SELECT version, conversation_id, started_at
FROM last_call
WHERE status <> 'ok' OR refusal = 'yes' OR output_text = ''
    -- Only a text that begins with a space can consist of spaces: trimming every text takes most of the time.
    OR CASE WHEN strpos($space, left(output_text, 1)) > 0 THEN trim(output_text, $space) = '' ELSE false END
