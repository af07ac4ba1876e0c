-- Which versions has the deployment run?
SELECT * FROM version WHERE deployment = $deployment ORDER BY first_seen, id
