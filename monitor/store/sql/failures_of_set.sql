-- How many scored cases of each severity failed on the newest finished runs of a set, by failure category? `none` counts the passed ones.
-- The verdict of the samples decides. Repeats and fresh samples are left out.
WITH night AS (
    SELECT id AS run_id, set_name, revision, coalesce(started_at, planned_at) AS "at", version
    FROM run
    WHERE deployment = $deployment AND set_name = $set_name AND state IN ('complete', 'failed')
        AND ($since::TIMESTAMPTZ IS NULL OR coalesce(started_at, planned_at) >= $since)
    ORDER BY "at" DESC, id DESC
    LIMIT $runs
),
folded AS (
    SELECT run_id, case_id, samples, passed, failure_category FROM case_verdict WHERE run_id IN (SELECT run_id FROM night)
    UNION ALL
    SELECT run_id, case_id, samples, passed, failure_category FROM unsettled_case WHERE run_id IN (SELECT run_id FROM night)
)
SELECT night.run_id, night."at", night.version, eval_case.severity,
    CASE WHEN folded.passed THEN 'none' ELSE folded.failure_category END AS failure_category, count(*) AS cases
FROM night
JOIN folded ON folded.run_id = night.run_id AND folded.samples > 0
JOIN eval_case ON eval_case.set_name = night.set_name AND eval_case.revision = night.revision
    AND eval_case.case_id = folded.case_id
GROUP BY ALL
ORDER BY night."at", night.run_id, eval_case.severity, cases DESC, failure_category
