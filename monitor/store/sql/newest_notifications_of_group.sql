-- Which notifications of a group are the newest?
SELECT * FROM notification WHERE group_id = $group_id ORDER BY planned_at DESC, id DESC LIMIT $limit
