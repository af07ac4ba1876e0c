-- Store the result of a delivery attempt. For a notification that was replaced meanwhile, store only its delivery.
UPDATE notification
SET state = CASE WHEN state = 'replaced' AND $state = 'queued' THEN state ELSE $state END,
    attempt = $attempt,
    next_attempt_at = CASE WHEN state = 'replaced' AND $state = 'queued' THEN NULL ELSE $next_attempt_at::TIMESTAMPTZ END,
    sent_at = $sent_at,
    error = $error,
    refused = $refused
WHERE id = $id
