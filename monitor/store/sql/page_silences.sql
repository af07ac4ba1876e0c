-- Which silences come next in the list, the newest first?
SELECT *
FROM silence
WHERE ($deployment::VARCHAR IS NULL OR contains(matchers, $deployment))
    AND ($since::TIMESTAMPTZ IS NULL OR created_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR created_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR created_at < $before_at OR (created_at = $before_at AND id < $before_tie))
ORDER BY created_at DESC, id DESC
LIMIT $limit
