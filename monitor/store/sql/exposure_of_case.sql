-- What is the exposure of a case? A case is its content, so equal cases of older revisions count.
WITH asked AS (
    SELECT revision, case_id
    FROM eval_case
    WHERE set_name = $set_name AND content_mac = $content_mac
)
SELECT CAST(coalesce(sum(calls) FILTER (WHERE kind <> 'reveal'), 0) AS BIGINT) AS calls,
    CAST(coalesce(sum(calls) FILTER (WHERE kind = 'reveal'), 0) AS BIGINT) AS reveals, count(DISTINCT provider) AS providers,
    count(DISTINCT who) FILTER (WHERE kind = 'reveal') AS people,
    CAST(coalesce(sum(calls) FILTER (WHERE "at" >= $since), 0) AS BIGINT) AS recent_calls, max("at") AS last_at
FROM case_access
JOIN asked ON asked.revision = case_access.revision AND asked.case_id = case_access.case_id
WHERE case_access.set_name = $set_name
