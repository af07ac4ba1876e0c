-- How many notifications did the receiver get, and which one last? The count changes even if the clock went back.
SELECT count(*) AS delivered, arg_max(id, (sent_at, planned_at, id)) AS newest
FROM notification
WHERE receiver = $receiver AND state = 'sent'
