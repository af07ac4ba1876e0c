-- Which revisions of eval sets come next in the list, newest first? A deployment has the sets that it was replayed with.
SELECT *, name || '/' || revision AS tie
FROM eval_set
WHERE ($deployment::VARCHAR IS NULL
    OR name IN (SELECT set_name FROM run WHERE deployment = $deployment))
    AND ($since::TIMESTAMPTZ IS NULL OR created_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR created_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR created_at < $before_at OR (created_at = $before_at AND name || '/' || revision < $before_tie))
ORDER BY created_at DESC, name || '/' || revision DESC
LIMIT $limit
