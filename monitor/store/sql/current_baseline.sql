-- From which night on do the nights of the set count?
SELECT *
FROM baseline
WHERE deployment = $deployment AND set_name = $set_name
ORDER BY "at" DESC, id DESC
LIMIT 1
