-- Which texts that arrived separately have their span now, in their order of arrival?
SELECT c.received_at, c.trace_id, c.span_id, c.system_prompt, c.input_messages, c.output_messages, c.finish_reason,
    c.finish_reason_raw, c.cut, c.limited_to
FROM span_content AS c
SEMI JOIN (
    SELECT trace_id, span_id, deployment FROM interaction WHERE received_at >= $spans_since
) AS i ON i.trace_id = c.trace_id AND i.span_id = c.span_id
    AND (c.limited_to IS NULL OR json_contains(c.limited_to, to_json(i.deployment)))
WHERE c.received_at >= $since
ORDER BY c.received_at, c.rowid
