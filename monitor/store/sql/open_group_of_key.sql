-- Which open group has this key?
SELECT group_id
FROM alert
WHERE group_key = $group_key AND state IN ('pending', 'firing')
ORDER BY pending_since DESC, id DESC
LIMIT 1
