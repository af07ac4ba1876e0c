-- Removes a revision; its cases are removed apart.
DELETE FROM eval_set WHERE name = $name AND revision = $revision
