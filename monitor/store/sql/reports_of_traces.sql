-- What are the original values of the calls of the traces of the batch?
SELECT id, deployment, trace_id, span_id, parent_span_id, convention, status, started_at, duration_ms, response_id, error_type, duplicate_of, own_values, limited_to,
    input_tokens, left(input_text, $text_chars) AS inputs, left(output_text, $text_chars) AS outputs,
    output_messages <> '[]' AS has_messages
FROM current_interaction AS interaction
SEMI JOIN batch ON batch.trace_id = interaction.trace_id
WHERE interaction.received_at >= $calls_since AND origin = 'production' AND span_id IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY interaction.trace_id, limited_to ORDER BY started_at DESC, id) <= $most_calls
ORDER BY interaction.trace_id, started_at, id
