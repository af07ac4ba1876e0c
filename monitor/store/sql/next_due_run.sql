-- Which run is to be worked on? An interrupted one first, then the oldest plan.
SELECT *
FROM run
WHERE state IN ('running', 'planned')
ORDER BY state = 'running' DESC, planned_at, id
LIMIT 1
