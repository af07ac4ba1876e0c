-- Which run of the deployment started last?
SELECT id, state, error
FROM run
WHERE deployment = $deployment AND started_at IS NOT NULL AND state <> 'cancelled'
ORDER BY planned_at DESC, id DESC
LIMIT 1
