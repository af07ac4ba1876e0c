-- Gives up queued deliveries to receivers that get no alerts any more.
UPDATE notification
SET state = 'failed', next_attempt_at = NULL, error = $error
WHERE state = 'queued' AND receiver NOT IN (SELECT unnest($receivers::VARCHAR[]))
