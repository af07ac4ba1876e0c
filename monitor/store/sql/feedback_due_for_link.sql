-- Which signals are due for a look at what they speak of, newest first? The pause is as long as a signal is old.
-- One that found a call by trace or conversation alone is looked at again while it is young: a better call may still come.
SELECT *
FROM (
    SELECT *, epoch($now::TIMESTAMPTZ - received_at) AS age_s, epoch($before::TIMESTAMPTZ - received_at) AS age_before_s
    FROM feedback
    WHERE received_at >= $oldest
        AND (linked_interaction_id IS NULL OR (link_method IN ('trace', 'conversation') AND received_at >= $settling))
)
WHERE age_before_s IS NULL OR age_before_s <= $first_s
    OR CASE WHEN age_s < $longest_s
        THEN floor(log2(age_s / $first_s)) > floor(log2(age_before_s / $first_s))
        ELSE floor(age_s / $longest_s) > floor(age_before_s / $longest_s)
    END
ORDER BY received_at DESC, id DESC
LIMIT $limit OFFSET $skip
