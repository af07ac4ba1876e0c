-- On which UTC days did these calls start, if a settled day can have them?
SELECT DISTINCT deployment, CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day"
FROM current_interaction
WHERE id IN (SELECT id FROM batch) AND started_at < $before AND ($since::TIMESTAMPTZ IS NULL OR received_at >= $since)
