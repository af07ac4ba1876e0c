-- Which run of the set against the deployment is planned or running?
SELECT *
FROM run
WHERE deployment = $deployment AND set_name = $set_name AND state IN ('planned', 'running')
ORDER BY planned_at, id
LIMIT 1
