-- Which alerts about the production series of the deployment are open?
SELECT *
FROM alert
WHERE deployment = $deployment AND series IS NOT NULL AND state IN ('pending', 'firing')
ORDER BY series, pending_since DESC, id DESC
