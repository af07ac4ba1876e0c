-- Remove the texts that are used.
DELETE FROM span_content
USING (SELECT DISTINCT * FROM span_content_end) AS ended
WHERE ended.trace_id = span_content.trace_id AND ended.span_id = span_content.span_id
    AND ended.received_at = span_content.received_at
