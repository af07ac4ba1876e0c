-- End the texts of the spans of the batch, which are filled now.
INSERT INTO span_content_end BY NAME
SELECT DISTINCT trace_id, span_id, received_at
FROM current_span_content
WHERE (trace_id, span_id) IN (SELECT (trace_id, span_id) FROM batch)
