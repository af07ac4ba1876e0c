-- How many signals without an interaction are still retried, and how many were given up because of their age?
SELECT count(*) FILTER (received_at >= $oldest) AS waiting, count(*) FILTER (received_at < $oldest) AS given_up
FROM feedback
WHERE linked_interaction_id IS NULL
