-- How many calls, texts, span contexts and span links arrived since then, and how many texts wait for their call?
SELECT
    (SELECT count(*) FROM current_interaction WHERE received_at >= $since) AS calls,
    (SELECT count(*) FROM current_span_content WHERE received_at >= $since) AS texts,
    (SELECT count(*) FROM span_context WHERE received_at >= $since) AS spans,
    (SELECT count(*) FROM span_link WHERE received_at >= $since) AS links,
    (SELECT count(*) FROM current_span_content WHERE received_at >= $waiting_since) AS waiting
