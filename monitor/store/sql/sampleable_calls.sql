-- Which production calls of the deployment in the window have a readable question and a complete answer?
SELECT id, category, attributes, input_text
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND status = 'ok'
    AND started_at >= $since AND started_at < $until
    AND content_state <> 'truncated' AND trim(input_text) <> '' AND trim(output_text) <> ''
ORDER BY hash(id), id
LIMIT $most
