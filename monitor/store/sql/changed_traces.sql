-- In which traces with several calls did a call, a text or a span link arrive since then?
-- The counts show whether a trace has changed since the last step.
WITH changed AS (
    SELECT trace_id FROM current_interaction WHERE received_at >= $since AND trace_id IS NOT NULL
    UNION
    SELECT trace_id FROM span_link WHERE received_at >= $since
    UNION
    SELECT trace_id FROM current_span_content WHERE received_at >= $since
),
content AS (
    SELECT trace_id, count(*) AS contents
    FROM current_span_content
    SEMI JOIN changed USING (trace_id)
    WHERE received_at >= $calls_since
    GROUP BY trace_id
),
link AS (
    SELECT trace_id, count(DISTINCT span_id) AS links
    FROM span_link
    SEMI JOIN changed USING (trace_id)
    WHERE received_at >= $calls_since
    GROUP BY trace_id
),
call AS (
    SELECT trace_id, count(*) AS calls, count(*) FILTER (content_state <> 'absent') AS with_content,
        sum(length(output_text)) AS output_chars
    FROM current_interaction
    SEMI JOIN changed USING (trace_id)
    WHERE received_at >= $calls_since AND origin = 'production' AND span_id IS NOT NULL
    GROUP BY trace_id
    HAVING count(*) > 1
)
SELECT trace_id, calls, with_content, output_chars, coalesce(links, 0) AS links, coalesce(contents, 0) AS contents
FROM call
LEFT JOIN link USING (trace_id)
LEFT JOIN content USING (trace_id)
ORDER BY trace_id
LIMIT $most_traces
