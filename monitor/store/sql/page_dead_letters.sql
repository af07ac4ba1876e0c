-- Which dead letters come next in the list, newest first? They have no deployment.
SELECT *
FROM current_dead_letter
WHERE ($deployment::VARCHAR IS NULL)
    AND ($since::TIMESTAMPTZ IS NULL OR received_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR received_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR received_at < $before_at OR (received_at = $before_at AND id < $before_tie))
ORDER BY received_at DESC, id DESC
LIMIT $limit
