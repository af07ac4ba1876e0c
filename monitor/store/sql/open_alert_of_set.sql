-- Which alert about the set is open?
SELECT *
FROM alert
WHERE deployment = $deployment AND set_name = $set_name AND state IN ('pending', 'firing')
ORDER BY pending_since DESC, id DESC
LIMIT 1
