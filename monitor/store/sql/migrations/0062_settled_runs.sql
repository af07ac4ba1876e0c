-- The results of a run that has ended, stored once: of each case, and counted by category, part and failure category. The
-- rows of a run are valid while the run is in `settled_run`; without it, the views compute the same from its scores.

CREATE TABLE settled_run (run_id VARCHAR PRIMARY KEY);

CREATE TABLE case_verdict (
    run_id VARCHAR NOT NULL, case_id VARCHAR NOT NULL, value DOUBLE, samples BIGINT NOT NULL, passed BOOLEAN NOT NULL,
    failure_category VARCHAR
);

CREATE TABLE run_tally (
    run_id VARCHAR NOT NULL, category VARCHAR NOT NULL, part VARCHAR, failure_category VARCHAR,
    cases BIGINT NOT NULL, scored BIGINT NOT NULL, passed BIGINT NOT NULL
);

CREATE VIEW unsettled_case AS
WITH sample AS (
    SELECT run_id, case_id, sample,
        CASE WHEN count(*) = count(value) THEN min(value) END AS value,
        first(failure_category ORDER BY label = 'pass', value, scorer, component) AS failure_category,
        CASE WHEN count(*) = count(value) THEN bool_and(label = 'pass') END AS passed
    FROM score
    WHERE decides IS NOT FALSE AND run_id NOT IN (SELECT run_id FROM settled_run)
    GROUP BY run_id, case_id, sample
)
SELECT sample.run_id, sample.case_id, avg(sample.value) AS value, count(sample.value) AS samples,
    2 * count(*) FILTER (WHERE sample.passed) >= count(sample.value) AS passed,
    first(sample.failure_category ORDER BY sample.value, sample.sample) FILTER (WHERE NOT sample.passed) AS failure_category
FROM sample
JOIN run ON run.id = sample.run_id
WHERE sample.sample < run.samples
GROUP BY sample.run_id, sample.case_id;

CREATE OR REPLACE VIEW case_result AS
WITH folded AS (
    FROM case_verdict
    UNION ALL
    FROM unsettled_case
)
SELECT run.id AS run_id, eval_case.position, eval_case.case_id, eval_case.category, eval_case.severity,
    eval_case.content_mac, folded.value, coalesce(folded.samples, 0) AS samples,
    CASE WHEN folded.value IS NOT NULL THEN folded.passed END AS passed,
    coalesce(folded.failure_category, 'none') AS failure_category
FROM run
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
LEFT JOIN folded ON folded.run_id = run.id AND folded.case_id = eval_case.case_id;

CREATE VIEW run_count AS
FROM run_tally
UNION ALL
SELECT run.id AS run_id, eval_case.category, eval_case.part,
    CASE WHEN folded.value IS NOT NULL AND NOT folded.passed THEN coalesce(folded.failure_category, 'none') END
        AS failure_category,
    count(*) AS cases, count(folded.value) AS scored, count(*) FILTER (WHERE folded.value IS NOT NULL AND folded.passed) AS passed
FROM run
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
LEFT JOIN unsettled_case AS folded ON folded.run_id = run.id AND folded.case_id = eval_case.case_id
WHERE run.id NOT IN (SELECT run_id FROM settled_run)
GROUP BY ALL;
