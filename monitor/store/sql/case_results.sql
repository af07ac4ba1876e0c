-- How did each case of the run's revision fare?
SELECT case_id, category, severity, content_mac, value, samples, failure_category
FROM case_result
WHERE run_id = $run_id
ORDER BY position
