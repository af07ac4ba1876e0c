-- Which runs come next in the list, the newest plan first?
SELECT *
FROM run
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR planned_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR planned_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR planned_at < $before_at OR (planned_at = $before_at AND id < $before_tie))
ORDER BY planned_at DESC, id DESC
LIMIT $limit
