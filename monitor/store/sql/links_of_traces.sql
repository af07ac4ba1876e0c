-- Where in the traces of the batch are the spans that are not calls?
SELECT trace_id, span_id, limited_to, any_value(parent_span_id) AS parent_span_id, bool_or(is_tool) AS is_tool
FROM span_link
SEMI JOIN batch ON batch.trace_id = span_link.trace_id
WHERE received_at >= $calls_since
GROUP BY trace_id, span_id, limited_to
ORDER BY limited_to NULLS LAST
