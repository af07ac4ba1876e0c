-- Which change of the deployment was stored last?
SELECT *
FROM change
WHERE deployment = $deployment
ORDER BY noted_at DESC, id DESC
LIMIT 1
