-- Which notifications come next in the list, the newest plan first?
SELECT *
FROM notification
WHERE ($deployment::VARCHAR IS NULL
    OR alert_id IN (
        SELECT id FROM alert WHERE deployment = $deployment
        UNION ALL
        SELECT id FROM change WHERE deployment = $deployment
        UNION ALL
        SELECT id FROM baseline WHERE deployment = $deployment
    ))
    AND ($since::TIMESTAMPTZ IS NULL OR planned_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR planned_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR planned_at < $before_at OR (planned_at = $before_at AND id < $before_tie))
ORDER BY planned_at DESC, id DESC
LIMIT $limit
