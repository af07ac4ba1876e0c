-- Which refreshes of the set come next in the list, newest first?
SELECT *
FROM set_refresh
WHERE set_name = $set_name AND $deployment::VARCHAR IS NULL
    AND ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at OR ("at" = $before_at AND revision < $before_tie))
ORDER BY "at" DESC, revision DESC
LIMIT $limit
