-- Which entries of the access log of a set come next, the newest first? A run is one entry, and so is a reveal.
-- A case whose recorded calls were all taken back is not in the entry.
WITH of_case AS (
    SELECT max("at") AS "at", kind, who, what, revision, provider, model, case_id, sum(calls) AS calls
    FROM case_access
    WHERE set_name = $set_name AND ($case_id::VARCHAR IS NULL OR case_id = $case_id)
        AND ($deployment::VARCHAR IS NULL OR (kind <> 'reveal' AND who = $deployment))
    GROUP BY kind, who, what, revision, provider, model, case_id, CASE WHEN kind = 'reveal' THEN "at" END
    HAVING sum(calls) > 0
),
entry AS (
    SELECT max("at") AS "at", kind, who, what, revision, provider, model, count(DISTINCT case_id) AS cases,
        CAST(sum(calls) AS BIGINT) AS calls,
        concat_ws('/', kind, who, what, revision, provider, model, CASE WHEN kind = 'reveal' THEN "at" END) AS tie
    FROM of_case
    GROUP BY kind, who, what, revision, provider, model, CASE WHEN kind = 'reveal' THEN "at" END
)
SELECT *
FROM entry
WHERE ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at OR ("at" = $before_at AND tie < $before_tie))
ORDER BY "at" DESC, tie DESC
LIMIT $limit
