-- Which revision of the set is the current one?
SELECT * FROM eval_set WHERE name = $name ORDER BY created_at DESC, revision DESC LIMIT 1
