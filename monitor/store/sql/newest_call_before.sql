-- When did the newest call of the deployment before then arrive?
SELECT max(received_at) AS received_at
FROM current_interaction
WHERE deployment = $deployment AND received_at < $until AND received_at >= $since
