-- Remove a revision. Its cases are removed separately.
DELETE FROM eval_set WHERE name = $name AND revision = $revision
