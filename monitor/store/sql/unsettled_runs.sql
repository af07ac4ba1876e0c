-- Which ended runs are not settled, the newest first?
SELECT id
FROM run
WHERE state IN ('complete', 'failed', 'cancelled') AND id NOT IN (SELECT run_id FROM settled_run)
ORDER BY finished_at DESC NULLS LAST, id DESC
LIMIT $limit
