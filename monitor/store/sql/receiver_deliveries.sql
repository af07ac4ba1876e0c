-- When was each receiver last notified, and what waits for it?
SELECT
    receiver,
    max(sent_at) AS sent_at,
    count(*) FILTER (state = 'queued') AS queued,
    min(planned_at) FILTER (state = 'queued') AS queued_since,
    count(*) FILTER (state = 'failed') AS failed,
    arg_max(error, planned_at) FILTER (state IN ('queued', 'failed') AND error IS NOT NULL) AS error
FROM notification
GROUP BY receiver
ORDER BY receiver
