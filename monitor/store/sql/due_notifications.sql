-- Which deliveries are due?
SELECT *
FROM notification
WHERE state = 'queued' AND coalesce(next_attempt_at, planned_at) <= $now
ORDER BY planned_at, id
