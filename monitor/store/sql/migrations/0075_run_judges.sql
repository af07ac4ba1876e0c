-- The deciding scorers and the metrics of a settled run with their versions, so that a verdict does not read every score.

CREATE TABLE run_judge (run_id VARCHAR NOT NULL, decides BOOLEAN NOT NULL, metric VARCHAR NOT NULL, scorer_version VARCHAR NOT NULL);

INSERT INTO run_judge
SELECT DISTINCT run_id, decides IS NOT FALSE, CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END,
    scorer_version
FROM score
WHERE run_id IN (SELECT run_id FROM settled_run);

-- The views of unsettled runs name the runs that they read, so that DuckDB skips the scores of settled runs without reading
-- them.

CREATE OR REPLACE VIEW unsettled_case AS
WITH sample AS (
    SELECT run_id, case_id, sample,
        CASE WHEN count(*) = count(value) THEN min(value) END AS value,
        first(failure_category ORDER BY label = 'pass', value, scorer, component) AS failure_category,
        CASE WHEN count(*) = count(value) THEN bool_and(label = 'pass') END AS passed
    FROM score
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

CREATE OR REPLACE VIEW run_count AS
FROM run_tally
UNION ALL
SELECT run.id AS run_id, eval_case.category, eval_case.part,
    CASE WHEN folded.value IS NOT NULL AND NOT folded.passed THEN coalesce(folded.failure_category, 'none') END
        AS failure_category,
    count(*) AS cases, count(folded.value) AS scored, count(*) FILTER (WHERE folded.value IS NOT NULL AND folded.passed) AS passed
FROM run
ANTI JOIN settled_run ON settled_run.run_id = run.id
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
LEFT JOIN unsettled_case AS folded ON folded.run_id = run.id AND folded.case_id = eval_case.case_id
GROUP BY ALL;
