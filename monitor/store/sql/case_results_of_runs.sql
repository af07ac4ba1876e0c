-- What is the result of each case of the revisions of these runs?
SELECT run_id, case_id, category, severity, content_mac, value, samples, passed, failure_category
FROM case_result
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
ORDER BY run_id, position
