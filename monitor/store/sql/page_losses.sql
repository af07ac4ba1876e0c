-- Which losses come next in the list, newest first? They have no deployment.
SELECT *
FROM loss
WHERE $deployment::VARCHAR IS NULL
    AND ($since::TIMESTAMPTZ IS NULL OR found_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR found_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR found_at < $before_at OR (found_at = $before_at AND id < $before_tie))
ORDER BY found_at DESC, id DESC
LIMIT $limit
