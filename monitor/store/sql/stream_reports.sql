-- Which root spans are notes of the end of a stream, and which are requests with the same content and no reply?
WITH report AS (
    SELECT id, duration_ms = 0 AS is_note, started_at, response_id, duplicate_of AS kept,
        md5(concat_ws(chr(0), deployment, convention, coalesce(request_model, ''), coalesce(system_prompt, ''), input_text)) AS input_key
    FROM current_interaction
    WHERE received_at >= $calls_since AND origin = 'production' AND span_id IS NOT NULL AND parent_span_id IS NULL AND input_text <> ''
        AND ((duration_ms = 0 AND output_messages <> '[]')
            OR (duration_ms > 0 AND output_messages = '[]' AND status <> 'error' AND duplicate_of IS NULL))
)
SELECT report.*
FROM report
SEMI JOIN (SELECT input_key FROM report WHERE is_note) AS note USING (input_key)
ORDER BY started_at DESC, id
LIMIT $limit
