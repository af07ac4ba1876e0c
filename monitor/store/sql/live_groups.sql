-- Which groups can need a notification: those with an open alert, and those whose end a receiver does not know?
SELECT group_id FROM alert WHERE state IN ('pending', 'firing')
UNION
SELECT group_id
FROM (
    SELECT group_id, receiver, arg_max(reason, (planned_at, id)) AS reason
    FROM notification
    WHERE state IN ('sent', 'queued')
        AND reason <> 'change'
        AND receiver IN (SELECT unnest($receivers::VARCHAR[]))
    GROUP BY group_id, receiver
)
WHERE reason <> 'resolved'
