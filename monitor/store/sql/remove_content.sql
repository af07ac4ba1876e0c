-- Remove the texts of the spans of the batch, which are filled now.
DELETE FROM span_content
WHERE (trace_id, span_id) IN (SELECT (trace_id, span_id) FROM batch)
