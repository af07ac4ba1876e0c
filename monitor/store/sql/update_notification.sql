-- Writes down what came of an attempt to deliver; of one that was replaced meanwhile only that it was delivered.
UPDATE notification
SET state = CASE WHEN state = 'replaced' AND $state = 'queued' THEN state ELSE $state END,
    attempt = $attempt,
    next_attempt_at = CASE WHEN state = 'replaced' AND $state = 'queued' THEN NULL ELSE $next_attempt_at::TIMESTAMPTZ END,
    sent_at = $sent_at,
    error = $error
WHERE id = $id
