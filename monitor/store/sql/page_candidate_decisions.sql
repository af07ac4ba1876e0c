-- Which entries of the review log come next, newest first?
SELECT *
FROM candidate_decision
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($candidate_id::VARCHAR IS NULL OR candidate_id = $candidate_id)
    AND ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at OR ("at" = $before_at AND id < $before_tie))
ORDER BY "at" DESC, id DESC
LIMIT $limit
