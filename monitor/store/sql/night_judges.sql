-- With which deciding scorers, at which versions, was each of these runs scored? With $metric, with which version of it?
-- Of settled runs they are stored.
WITH unsettled AS (
    SELECT id AS run_id
    FROM run
    ANTI JOIN settled_run ON settled_run.run_id = run.id
    WHERE id IN (SELECT unnest($runs::VARCHAR[]))
),
judge AS (
    SELECT run_id, decides, metric, scorer_version
    FROM run_judge
    WHERE run_id IN (SELECT unnest($runs::VARCHAR[]))
    UNION ALL
    SELECT DISTINCT run_id, decides IS NOT FALSE AS decides,
        CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric, scorer_version
    FROM current_score
    WHERE run_id IN (SELECT run_id FROM unsettled)
)
SELECT run_id, string_agg(DISTINCT metric || ' ' || scorer_version, ', ' ORDER BY metric || ' ' || scorer_version) AS judge
FROM judge
WHERE CASE WHEN $metric::VARCHAR IS NULL THEN decides ELSE metric = $metric::VARCHAR END
GROUP BY run_id
