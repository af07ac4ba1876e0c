-- Which runs of the set against the deployment are complete?
SELECT *
FROM run
WHERE deployment = $deployment AND set_name = $set_name AND state = 'complete'
ORDER BY finished_at, id
