-- Which verdict has each answer to a case in these runs? `same_content` is false for another wording of the case.
WITH answer AS (
    SELECT run_id, case_id, sample, CASE WHEN count(*) = count(value) THEN min(value) END AS value,
        CASE WHEN count(*) = count(value) THEN bool_and(label = 'pass') END AS passed,
        first(failure_category ORDER BY label = 'pass', value, scorer, component) AS failure_category
    FROM current_score
    WHERE decides IS NOT FALSE AND case_id = $case_id AND run_id IN (SELECT unnest($runs::VARCHAR[]))
    GROUP BY run_id, case_id, sample
)
SELECT answer.run_id, answer.sample, answer.value, answer.passed,
    CASE WHEN answer.passed THEN 'none' ELSE answer.failure_category END AS failure_category,
    CASE WHEN answer.sample < run.samples THEN 'sample' WHEN answer.sample = run.samples THEN 'repeat' ELSE 'fresh' END AS kind,
    asked.content_mac = $content_mac AS same_content
FROM answer
JOIN run ON run.id = answer.run_id
JOIN eval_case AS asked ON asked.set_name = run.set_name AND asked.revision = run.revision AND asked.case_id = answer.case_id
ORDER BY answer.run_id, answer.sample
