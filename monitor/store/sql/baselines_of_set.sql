-- From where on did the nights of the set count, newest first?
SELECT *
FROM baseline
WHERE deployment = $deployment AND set_name = $set_name
ORDER BY counts_from DESC, "at" DESC, id DESC
