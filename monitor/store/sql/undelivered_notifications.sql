-- What is queued for each receiver, and since when was nothing delivered?
WITH delivered AS (
    SELECT receiver, max(sent_at) AS sent_at FROM notification WHERE state = 'sent' GROUP BY receiver
)
SELECT
    receiver,
    count(*) FILTER (state = 'queued') AS count,
    sum(attempt) FILTER (state = 'queued')::BIGINT AS attempts,
    min(planned_at) AS since,
    coalesce(bool_or(refused) FILTER (state = 'queued'), false) AS refused,
    arg_max(error, planned_at) FILTER (state = 'queued' AND error IS NOT NULL) AS error
FROM notification
LEFT JOIN delivered USING (receiver)
WHERE state = 'queued' OR (state = 'replaced' AND (delivered.sent_at IS NULL OR planned_at > delivered.sent_at))
GROUP BY receiver
HAVING count(*) FILTER (state = 'queued') > 0
ORDER BY receiver
