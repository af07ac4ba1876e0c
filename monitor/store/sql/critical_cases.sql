-- How many samples of each critical case of the run have a verdict on forbidden content, and how many contain it?
WITH judged AS (
    SELECT case_id, sample, bool_or(label = 'fail' AND list_contains($forbidden::VARCHAR[], scorer || '/' || failure_category)) AS violated
    FROM current_score
    WHERE run_id = $run_id AND value IS NOT NULL AND list_contains($scorers::VARCHAR[], scorer)
    GROUP BY case_id, sample
)
SELECT eval_case.case_id, eval_case.content_mac, eval_case.category, count(judged.sample) AS samples,
    count(*) FILTER (WHERE judged.violated) AS violations
FROM run
JOIN eval_case ON eval_case.set_name = run.set_name AND eval_case.revision = run.revision AND eval_case.severity = 'critical'
LEFT JOIN judged ON judged.case_id = eval_case.case_id
WHERE run.id = $run_id
GROUP BY eval_case.position, eval_case.case_id, eval_case.content_mac, eval_case.category
ORDER BY eval_case.position
