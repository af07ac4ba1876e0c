-- Which candidates come next in the list, the newest proposal first?
SELECT *
FROM candidate
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR proposed_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR proposed_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR proposed_at < $before_at OR (proposed_at = $before_at AND id < $before_tie))
ORDER BY proposed_at DESC, id DESC
LIMIT $limit
