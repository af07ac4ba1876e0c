-- Give up the queued notifications of receivers that no longer get alerts.
UPDATE notification
SET state = 'failed', next_attempt_at = NULL, error = $error
WHERE state = 'queued' AND receiver NOT IN (SELECT unnest($receivers::VARCHAR[]))
