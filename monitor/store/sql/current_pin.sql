-- Which golden run is the set held against?
SELECT *
FROM pin
WHERE deployment = $deployment AND set_name = $set_name AND ended_at IS NULL
