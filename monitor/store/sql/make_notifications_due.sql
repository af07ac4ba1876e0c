-- Make every queued notification of the receiver due.
UPDATE notification SET next_attempt_at = $now WHERE receiver = $receiver AND state = 'queued' AND next_attempt_at > $now
