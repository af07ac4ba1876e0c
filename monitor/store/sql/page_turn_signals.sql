-- Which turns come next in the list, the newest first?
SELECT *
FROM current_turn_signal
WHERE ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($code::VARCHAR IS NULL OR code = $code)
    AND ($flagged::BOOLEAN IS NULL OR flagged = $flagged)
    AND ($reviewed::BOOLEAN IS NULL OR $reviewed = (id IN (SELECT signal_id FROM turn_review)))
    AND ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at OR ("at" = $before_at AND id < $before_tie))
ORDER BY "at" DESC, id DESC
LIMIT $limit
