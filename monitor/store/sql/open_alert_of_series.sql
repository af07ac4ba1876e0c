-- Which alert about the production series is open?
SELECT *
FROM alert
WHERE deployment = $deployment AND series = $series AND state IN ('pending', 'firing')
ORDER BY pending_since DESC, id DESC
LIMIT 1
