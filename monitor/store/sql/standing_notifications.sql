-- Which notifications did the receiver get of groups that it knows as firing, or that resolved after $since?
SELECT *
FROM notification
WHERE receiver = $receiver
    AND state = 'sent'
    AND group_id IN (
        SELECT group_id
        FROM (
            SELECT group_id, arg_max(reason, (planned_at, id)) AS reason, max(sent_at) AS sent_at
            FROM notification
            WHERE receiver = $receiver AND state = 'sent'
            GROUP BY group_id
        )
        WHERE reason <> 'resolved' OR sent_at >= $since
    )
ORDER BY sent_at, planned_at, id
