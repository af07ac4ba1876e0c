-- The folding of scores to cases, decided here alone: a sample's value is the lowest of its scorers' and needs all of
-- their verdicts, a case's value is the mean over its scored samples, its failure category is that of the worst failed
-- sample. One row for every case of the run's revision, with a NULL value when nothing was scored.

CREATE VIEW case_result AS
WITH sample_result AS (
    SELECT run_id, case_id, sample,
        CASE WHEN count(*) = count(value) THEN min(value) END AS value,
        first(failure_category ORDER BY value, scorer) AS failure_category
    FROM score
    GROUP BY run_id, case_id, sample
),
folded AS (
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
