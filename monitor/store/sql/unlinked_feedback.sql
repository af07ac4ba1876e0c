-- Which signals belong to no interaction yet, newest first?
SELECT * FROM feedback WHERE linked_interaction_id IS NULL ORDER BY received_at DESC, id DESC LIMIT $limit
