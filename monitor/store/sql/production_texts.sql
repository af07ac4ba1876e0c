-- What are the inputs, outputs and prompts of production calls since then? A limited number, the newest first.
SELECT id, deployment, started_at, input_text, output_text, system_prompt
FROM current_interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since
    AND ($before_at::TIMESTAMPTZ IS NULL OR started_at < $before_at OR (started_at = $before_at AND id < $before_id))
ORDER BY started_at DESC, id DESC
LIMIT $limit
