-- Which texts that arrived separately and are not used have their span now, in their order of arrival?
-- An inner join: DuckDB 1.5 compares every pair of rows in a semi join with a condition on both sides.
SELECT c.received_at, c.trace_id, c.span_id, c.system_prompt, c.input_messages, c.output_messages, c.finish_reason,
    c.finish_reason_raw, c.cut, c.limited_to
FROM span_content AS c
WHERE c.rowid IN (
    SELECT w.rowid
    FROM span_content AS w
    JOIN interaction AS i ON i.trace_id = w.trace_id AND i.span_id = w.span_id
    ANTI JOIN span_content_end AS ended ON ended.trace_id = w.trace_id AND ended.span_id = w.span_id
        AND ended.received_at = w.received_at
    WHERE w.received_at >= $since AND i.received_at >= $spans_since
        AND (w.limited_to IS NULL OR json_contains(w.limited_to, to_json(i.deployment)))
)
ORDER BY c.received_at, c.rowid
