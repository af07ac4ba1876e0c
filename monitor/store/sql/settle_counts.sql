-- Store the counts of these runs, from the stored results of their cases.
INSERT INTO run_tally BY NAME
SELECT run.id AS run_id, eval_case.category, eval_case.part,
    CASE WHEN stored.value IS NOT NULL AND NOT stored.passed THEN coalesce(stored.failure_category, 'none') END
        AS failure_category,
    count(*) AS cases, count(stored.value) AS scored,
    count(*) FILTER (WHERE stored.value IS NOT NULL AND stored.passed) AS passed
FROM run
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision
LEFT JOIN case_verdict AS stored ON stored.run_id = run.id AND stored.case_id = eval_case.case_id
WHERE run.id IN (SELECT unnest($run_ids::VARCHAR[]))
GROUP BY ALL
