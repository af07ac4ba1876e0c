-- `outcome` and `score` are append-only. A sample that moves to another run is appended there, and its rows of the earlier
-- run end; so do the rows of a discarded import. Maintenance removes the ended rows.
CREATE TABLE outcome_end (
    run_id VARCHAR NOT NULL, case_id VARCHAR NOT NULL, sample BIGINT NOT NULL
);
CREATE TABLE score_end (
    run_id VARCHAR NOT NULL, case_id VARCHAR NOT NULL, sample BIGINT NOT NULL
);

-- The rows that have not ended.
CREATE VIEW current_outcome AS
SELECT outcome.*
FROM outcome
ANTI JOIN outcome_end AS ended ON ended.run_id = outcome.run_id AND ended.case_id = outcome.case_id AND ended.sample = outcome.sample;

CREATE VIEW current_score AS
SELECT score.*
FROM score
ANTI JOIN score_end AS ended ON ended.run_id = score.run_id AND ended.case_id = score.case_id AND ended.sample = score.sample;

-- The same while there is no fact: no join.
CREATE VIEW folded_outcome AS SELECT * FROM outcome;
CREATE VIEW folded_score AS SELECT * FROM score;

-- The views of results read the scores that have not ended.
CREATE OR REPLACE VIEW metric_sample AS
SELECT run_id, case_id, sample, CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric,
    value, failure_category, label, CASE WHEN value IS NOT NULL THEN label = 'pass' END AS passed
FROM current_score;

CREATE OR REPLACE VIEW folded_sample AS
SELECT run_id, case_id, sample,
    CASE WHEN count(*) = count(value) THEN min(value) END AS value,
    first(failure_category ORDER BY label = 'pass', value, scorer, component) AS failure_category,
    CASE WHEN count(*) = count(value) THEN bool_and(label = 'pass') END AS passed
FROM current_score
WHERE decides IS NOT FALSE
GROUP BY run_id, case_id, sample;

CREATE OR REPLACE VIEW unsettled_case AS
WITH sample AS (
    SELECT run_id, case_id, sample,
        CASE WHEN count(*) = count(value) THEN min(value) END AS value,
        first(failure_category ORDER BY label = 'pass', value, scorer, component) AS failure_category,
        CASE WHEN count(*) = count(value) THEN bool_and(label = 'pass') END AS passed
    FROM current_score
    WHERE decides IS NOT FALSE AND run_id IN (SELECT id FROM run ANTI JOIN settled_run ON settled_run.run_id = run.id)
    GROUP BY run_id, case_id, sample
)
SELECT sample.run_id, sample.case_id, avg(sample.value) AS value, count(sample.value) AS samples,
    2 * count(*) FILTER (WHERE sample.passed) >= count(sample.value) AS passed,
    first(sample.failure_category ORDER BY sample.value, sample.sample) FILTER (WHERE NOT sample.passed) AS failure_category
FROM sample
JOIN run ON run.id = sample.run_id
WHERE sample.sample < run.samples
GROUP BY sample.run_id, sample.case_id;

CREATE OR REPLACE VIEW unsettled_metric AS
WITH measured AS (
    SELECT score.run_id, CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric, score.case_id,
        avg(score.value) AS value, bool_or(score.decides IS NOT FALSE) AS decides
    FROM current_score AS score
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
