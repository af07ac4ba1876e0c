-- How many cases of each severity failed on the newest finished runs of a set by one metric, by failure category? `none` counts the passed ones.
-- Repeats and fresh samples are left out.
WITH night AS (
    SELECT id AS run_id, set_name, revision, samples, coalesce(started_at, planned_at) AS "at", version
    FROM run
    WHERE deployment = $deployment AND set_name = $set_name AND state IN ('complete', 'failed')
        AND ($since::TIMESTAMPTZ IS NULL OR coalesce(started_at, planned_at) >= $since)
    ORDER BY "at" DESC, id DESC
    LIMIT $runs
),
folded AS (
    SELECT sampled.run_id, sampled.case_id, 2 * count(*) FILTER (WHERE passed) >= count(value) AS passed,
        first(failure_category ORDER BY value, sample) FILTER (WHERE NOT passed) AS failure_category
    FROM metric_sample AS sampled
    JOIN night ON night.run_id = sampled.run_id AND sampled.sample < night.samples
    WHERE metric = $metric
    GROUP BY sampled.run_id, sampled.case_id
    HAVING count(value) > 0
)
SELECT night.run_id, night."at", night.version, eval_case.severity,
    CASE WHEN folded.passed THEN 'none' ELSE folded.failure_category END AS failure_category, count(*) AS cases
FROM night
JOIN folded ON folded.run_id = night.run_id
JOIN eval_case ON eval_case.set_name = night.set_name AND eval_case.revision = night.revision
    AND eval_case.case_id = folded.case_id
GROUP BY ALL
ORDER BY night."at", night.run_id, eval_case.severity, cases DESC, failure_category
