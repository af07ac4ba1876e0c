-- How did every complete run score the cases that the revision holds, whatever revision it asked them in?
-- Runs are numbered in time order from 0; `complete_runs_of_users` lists them.
WITH chosen AS (
    SELECT id, row_number() OVER (ORDER BY finished_at, id) - 1 AS number
    FROM run
    WHERE set_name = $name AND state = 'complete' AND list_contains($deployments::VARCHAR[], deployment)
)
SELECT run.number, asked.position, case_result.value
FROM chosen AS run
JOIN case_result ON case_result.run_id = run.id
JOIN eval_case AS asked ON asked.content_mac = case_result.content_mac
WHERE asked.set_name = $name AND asked.revision = $revision AND case_result.value IS NOT NULL
