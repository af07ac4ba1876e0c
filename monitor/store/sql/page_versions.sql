-- Which versions come next in the list, the newest first?
SELECT *, deployment || '/' || id AS tie
FROM version
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR first_seen >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR first_seen < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR first_seen < $before_at OR (first_seen = $before_at AND deployment || '/' || id < $before_tie))
ORDER BY first_seen DESC, deployment || '/' || id DESC
LIMIT $limit
