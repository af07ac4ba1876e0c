-- How many signals without an interaction are still tried, and how many were given up because they are too old?
SELECT count(*) FILTER (received_at >= $oldest) AS waiting, count(*) FILTER (received_at < $oldest) AS given_up
FROM feedback
WHERE linked_interaction_id IS NULL
