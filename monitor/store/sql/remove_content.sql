-- Removes the texts of spans that are here: each span of the batch has been given what it needed.
DELETE FROM span_content
WHERE (trace_id, span_id) IN (SELECT (trace_id, span_id) FROM batch)
