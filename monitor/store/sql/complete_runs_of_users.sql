-- Which complete runs of the set do these deployments have, in time order, and which version did each replay?
SELECT finished_at, deployment || ' ' || version AS version
FROM run
WHERE set_name = $name AND state = 'complete' AND list_contains($deployments::VARCHAR[], deployment)
    AND ($until::TIMESTAMPTZ IS NULL OR finished_at < $until)
ORDER BY finished_at, id
