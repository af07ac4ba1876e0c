-- Which interactions come next in the list, newest first?
SELECT *
FROM current_interaction
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR started_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR started_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR started_at < $before_at OR (started_at = $before_at AND id < $before_tie))
ORDER BY started_at DESC, id DESC
LIMIT $limit
