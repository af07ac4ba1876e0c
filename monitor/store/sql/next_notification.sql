-- Which notification of the receiver is due? Change events wait for alerts. One after $horizon was postponed while the clock was ahead.
SELECT *
FROM notification
WHERE receiver = $receiver
    AND state = 'queued'
    AND (coalesce(next_attempt_at, planned_at) <= $now OR next_attempt_at > $horizon)
ORDER BY reason = 'change', planned_at, id
LIMIT 1
