-- Which calls of a window of time belong to the trace or to the conversation of a call? The oldest first.
SELECT id, started_at, duration_ms, trace_id, span_id, parent_span_id, conversation_id, status, request_model,
    response_model, duplicate_of, input_text[:$chars] AS input_text, output_text[:$chars] AS output_text
FROM current_interaction
WHERE deployment = $deployment AND started_at >= $low AND started_at < $high
    AND (trace_id = $trace_id::VARCHAR OR conversation_id = $conversation_id::VARCHAR)
ORDER BY started_at, id
LIMIT $limit
