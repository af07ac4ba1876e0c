-- How did every complete run score the cases that the revision holds, whatever revision it asked them in?
SELECT run.id AS run_id, run.finished_at, run.deployment || ' ' || run.version AS version, asked.position, case_result.value
FROM run
JOIN case_result ON case_result.run_id = run.id
JOIN eval_case AS asked ON asked.content_mac = case_result.content_mac
WHERE run.set_name = $name AND run.state = 'complete' AND list_contains($deployments::VARCHAR[], run.deployment)
    AND asked.set_name = $name AND asked.revision = $revision AND case_result.value IS NOT NULL
ORDER BY run.finished_at, run.id, asked.position
