-- Which signals are due for linking, the newest first?
-- The pause is as long as the age of the signal. A signal that was linked only by trace or conversation is due again while
-- it is young, because a better call may still arrive.
SELECT *
FROM (
    SELECT *, (epoch_us($now::TIMESTAMPTZ) - epoch_us(received_at)) / 1e6 AS age_s,
        (epoch_us($before::TIMESTAMPTZ) - epoch_us(received_at)) / 1e6 AS age_before_s
    FROM current_feedback
    WHERE received_at >= $oldest
        AND (linked_interaction_id IS NULL OR (link_method IN ('trace', 'conversation') AND received_at >= $settling))
)
WHERE age_before_s IS NULL OR age_before_s <= $first_s
    OR CASE WHEN age_s < $longest_s
        THEN floor(log2(greatest(age_s, 0.001) / $first_s)) > floor(log2(greatest(age_before_s, 0.001) / $first_s))
        ELSE floor(age_s / $longest_s) > floor(age_before_s / $longest_s)
    END
ORDER BY received_at DESC, id DESC
LIMIT $limit OFFSET $skip
