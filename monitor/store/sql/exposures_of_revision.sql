-- What is the exposure of each case of the revision? A case is its content, so equal cases of older revisions count.
-- A run whose recorded calls of a case were all taken back did not see the case.
WITH seen AS (
    SELECT asked.content_mac, kind, who, what, provider, sum(calls) AS calls, max("at") AS "at"
    FROM case_access
    JOIN eval_case AS asked ON asked.set_name = case_access.set_name AND asked.revision = case_access.revision
        AND asked.case_id = case_access.case_id
    WHERE case_access.set_name = $name AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    GROUP BY asked.content_mac, kind, who, what, provider, CASE WHEN kind = 'reveal' THEN "at" END
    HAVING sum(calls) > 0
),
counted AS (
    SELECT content_mac, sum(calls) FILTER (WHERE kind <> 'reveal') AS calls, sum(calls) FILTER (WHERE kind = 'reveal') AS reveals,
        count(DISTINCT provider) AS providers, count(DISTINCT who) FILTER (WHERE kind = 'reveal') AS people,
        sum(calls) FILTER (WHERE "at" >= $since) AS recent_calls, max("at") AS last_at
    FROM seen
    GROUP BY content_mac
)
SELECT eval_case.case_id, eval_case.category, eval_case.severity,
    CAST(coalesce(counted.calls, 0) AS BIGINT) AS calls, CAST(coalesce(counted.reveals, 0) AS BIGINT) AS reveals,
    coalesce(counted.providers, 0) AS providers, coalesce(counted.people, 0) AS people,
    CAST(coalesce(counted.recent_calls, 0) AS BIGINT) AS recent_calls, counted.last_at
FROM eval_case
LEFT JOIN counted ON counted.content_mac = eval_case.content_mac
WHERE eval_case.set_name = $name AND eval_case.revision = $revision
ORDER BY eval_case.position
