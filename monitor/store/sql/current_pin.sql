-- Which run is pinned for the set?
SELECT *
FROM pin
WHERE deployment = $deployment AND set_name = $set_name AND ended_at IS NULL
