-- Writes down what came of an attempt to deliver.
UPDATE notification
SET state = $state, attempt = $attempt, next_attempt_at = $next_attempt_at, sent_at = $sent_at, error = $error
WHERE id = $id
