-- Which run is to be worked on? An interrupted one first, then the oldest plan; one that waits for its target is not due.
SELECT *
FROM run
WHERE state IN ('running', 'planned') AND (retry_at IS NULL OR retry_at <= $now)
ORDER BY state = 'running' DESC, planned_at, id
LIMIT 1
