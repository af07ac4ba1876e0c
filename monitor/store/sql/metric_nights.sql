-- What is the mean of each metric on the newest complete nights of a set, or on one of its runs, the oldest first?
-- NULL is the deciding verdict. Repeats and fresh samples are left out, as in the nights of the detector.
WITH night AS (
    SELECT id AS run_id, finished_at AS "at", version, revision
    FROM run
    WHERE deployment = $deployment AND set_name = $set_name AND state = 'complete'
        AND ($run_id::VARCHAR IS NULL OR id = $run_id)
    ORDER BY finished_at DESC, id DESC
    LIMIT $nights
),
measured AS (
    SELECT run_id, metric, mean, scored, decides FROM run_metric WHERE run_id IN (SELECT run_id FROM night)
    UNION ALL
    SELECT run_id, metric, mean, scored, decides FROM unsettled_metric WHERE run_id IN (SELECT run_id FROM night)
)
SELECT measured.metric, night.run_id, night."at", night.version, night.revision, measured.mean, measured.scored, measured.decides
FROM measured
JOIN night ON night.run_id = measured.run_id
WHERE $metric::VARCHAR IS NULL OR measured.metric = $metric
ORDER BY night."at", night.run_id, measured.metric NULLS FIRST
