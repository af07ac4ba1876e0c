-- The mean of each metric of a settled run, so that a list of nights does not fold every score again. The metric NULL is
-- the deciding verdict. The rows of a run are valid while the run is in `settled_run`.

CREATE TABLE run_metric (
    run_id VARCHAR NOT NULL, metric VARCHAR, mean DOUBLE NOT NULL, scored BIGINT NOT NULL, decides BOOLEAN NOT NULL
);

INSERT INTO run_metric
WITH measured AS (
    SELECT score.run_id, CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric, score.case_id,
        avg(score.value) AS value, bool_or(score.decides IS NOT FALSE) AS decides
    FROM score
    JOIN run ON run.id = score.run_id AND score.sample < run.samples
    WHERE score.value IS NOT NULL AND score.run_id IN (SELECT run_id FROM settled_run)
    GROUP BY ALL
)
SELECT run_id, metric, avg(value), count(*), bool_or(decides) FROM measured GROUP BY run_id, metric
UNION ALL
SELECT run_id, NULL, avg(value), count(value), true FROM case_verdict WHERE value IS NOT NULL GROUP BY run_id;

CREATE VIEW unsettled_metric AS
WITH measured AS (
    SELECT score.run_id, CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric, score.case_id,
        avg(score.value) AS value, bool_or(score.decides IS NOT FALSE) AS decides
    FROM score
    JOIN run ON run.id = score.run_id AND score.sample < run.samples
    WHERE score.value IS NOT NULL
        AND score.run_id IN (SELECT id FROM run ANTI JOIN settled_run ON settled_run.run_id = run.id)
    GROUP BY ALL
)
SELECT run_id, metric, avg(value) AS mean, count(*) AS scored, bool_or(decides) AS decides FROM measured GROUP BY run_id, metric
UNION ALL
SELECT run_id, NULL AS metric, avg(value) AS mean, count(value) AS scored, true AS decides
FROM unsettled_case
WHERE value IS NOT NULL
GROUP BY run_id;
