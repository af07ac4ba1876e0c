-- What a finding rests on beyond two runs, as JSON; and where the baseline of a set was made to start again.

ALTER TABLE finding ADD COLUMN evidence VARCHAR;

CREATE TABLE baseline (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, set_name VARCHAR NOT NULL, run_id VARCHAR NOT NULL,
    counts_from TIMESTAMPTZ NOT NULL, finding_id VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL, who VARCHAR NOT NULL,
    reason VARCHAR NOT NULL, old_first_run VARCHAR, old_last_run VARCHAR
);

-- The folding of verdicts to samples, in one place: the lowest of its scorers' values, and all of their verdicts needed.

CREATE VIEW sample_result AS
SELECT run_id, case_id, sample,
    CASE WHEN count(*) = count(value) THEN min(value) END AS value,
    first(failure_category ORDER BY value, scorer) AS failure_category
FROM score
GROUP BY run_id, case_id, sample;

CREATE OR REPLACE VIEW case_result AS
WITH folded AS (
    SELECT run_id, case_id, avg(value) AS value, count(value) AS samples,
        first(failure_category ORDER BY value, sample) FILTER (WHERE value < 0.5) AS failure_category
    FROM sample_result
    GROUP BY run_id, case_id
)
SELECT run.id AS run_id, eval_case.position, eval_case.case_id, eval_case.category, eval_case.severity,
    eval_case.content_mac, folded.value, coalesce(folded.samples, 0) AS samples,
    coalesce(folded.failure_category, 'none') AS failure_category
FROM run
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
LEFT JOIN folded ON folded.run_id = run.id AND folded.case_id = eval_case.case_id;
