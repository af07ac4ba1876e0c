-- What is the mean of each metric on the newest complete nights of a set, or on one of its runs, the oldest first?
-- NULL is the deciding verdict. Repeats and fresh samples are left out, as in the nights of the detector.
WITH night AS (
    SELECT id AS run_id, finished_at AS "at", version, revision, samples
    FROM run
    WHERE deployment = $deployment AND set_name = $set_name AND state = 'complete'
        AND ($run_id::VARCHAR IS NULL OR id = $run_id)
    ORDER BY finished_at DESC, id DESC
    LIMIT $nights
),
sampled AS (
    SELECT run_id, case_id, sample, CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric,
        value, decides IS NOT FALSE AS decides
    FROM score
    WHERE run_id IN (SELECT run_id FROM night) AND ($run_id::VARCHAR IS NULL OR run_id = $run_id)
    UNION ALL
    SELECT run_id, case_id, sample, NULL AS metric, value, true AS decides
    FROM folded_sample
    WHERE run_id IN (SELECT run_id FROM night) AND ($run_id::VARCHAR IS NULL OR run_id = $run_id)
),
measured AS (
    SELECT sampled.run_id, sampled.metric, sampled.case_id, avg(sampled.value) AS value, bool_or(sampled.decides) AS decides
    FROM sampled
    JOIN night ON night.run_id = sampled.run_id AND sampled.sample < night.samples
    WHERE sampled.value IS NOT NULL AND ($metric::VARCHAR IS NULL OR sampled.metric = $metric)
    GROUP BY sampled.run_id, sampled.metric, sampled.case_id
)
SELECT measured.metric, night.run_id, night."at", night.version, night.revision, avg(measured.value) AS mean,
    count(*) AS scored, bool_or(measured.decides) AS decides
FROM measured
JOIN night ON night.run_id = measured.run_id
GROUP BY measured.metric, night.run_id, night."at", night.version, night.revision
ORDER BY night."at", night.run_id, measured.metric NULLS FIRST
