-- Which changes from a known version, noted since $since, has the receiver no notification of?
SELECT change.*
FROM change
WHERE from_version IS NOT NULL
    AND noted_at >= $since
    AND NOT EXISTS (
        FROM notification
        WHERE notification.alert_id = change.id AND notification.receiver = $receiver AND notification.reason = 'change'
    )
ORDER BY noted_at, id
