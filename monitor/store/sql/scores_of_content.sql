-- How did every complete run score the cases of the revision, in any revision of the set?
-- Runs are numbered in time order from 0; `complete_runs_of_users` lists them.
WITH chosen AS (
    SELECT id, row_number() OVER (ORDER BY finished_at, id) - 1 AS number
    FROM run
    WHERE set_name = $name AND state = 'complete' AND list_contains($deployments::VARCHAR[], deployment)
        AND ($until::TIMESTAMPTZ IS NULL OR finished_at < $until)
)
SELECT run.number, in_revision.position, case_result.value, case_result.passed
FROM chosen AS run
JOIN case_result ON case_result.run_id = run.id
JOIN eval_case AS in_revision ON in_revision.content_mac = case_result.content_mac
WHERE in_revision.set_name = $name AND in_revision.revision = $revision AND case_result.value IS NOT NULL
