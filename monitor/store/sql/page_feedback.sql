-- Which feedback comes next in the list, newest first?
SELECT *
FROM current_feedback
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at OR ("at" = $before_at AND id < $before_tie))
ORDER BY "at" DESC, id DESC
LIMIT $limit
