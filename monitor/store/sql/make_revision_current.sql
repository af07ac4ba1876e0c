-- Make an earlier revision of a set the current one again.
UPDATE eval_set SET created_at = $at WHERE name = $name AND revision = $revision
