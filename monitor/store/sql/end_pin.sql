-- End the pin of the set.
UPDATE pin
SET ended_at = $at, ended_by = $who
WHERE deployment = $deployment AND set_name = $set_name AND ended_at IS NULL
