-- How many cases of each category, severity and failure category of a run had a verdict, and how many passed?
SELECT category, severity, CASE WHEN NOT passed THEN failure_category END AS failure,
    count(*) AS cases, count(value) AS scored, count(*) FILTER (WHERE passed) AS passed
FROM case_result
WHERE run_id = $run_id
GROUP BY category, severity, failure
