-- Which baselines, accepted since $since, has the receiver no notification of?
SELECT baseline.*
FROM baseline
WHERE "at" >= $since
    AND NOT EXISTS (
        FROM notification
        WHERE notification.alert_id = baseline.id AND notification.receiver = $receiver AND notification.reason = 'change'
    )
ORDER BY "at", id
