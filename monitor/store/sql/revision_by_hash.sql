-- Which revision of the set has this hash?
SELECT * FROM eval_set WHERE name = $name AND revision = $revision
