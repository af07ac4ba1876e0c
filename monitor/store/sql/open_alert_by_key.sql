-- Which alert of this key is open?
SELECT *
FROM alert
WHERE dedup_key = $dedup_key AND state IN ('pending', 'firing')
ORDER BY pending_since DESC, id DESC
LIMIT 1
