-- Which notification did the receiver get last? NULL if it got none.
SELECT arg_max(id, (sent_at, planned_at, id)) AS id FROM notification WHERE receiver = $receiver AND state = 'sent'
