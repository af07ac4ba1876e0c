-- What does a receiver remember of a group of alerts?
SELECT value FROM receiver_state WHERE receiver = $receiver AND group_id = $group_id
