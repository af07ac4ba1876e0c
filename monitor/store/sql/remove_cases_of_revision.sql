-- Remove the cases of a revision.
DELETE FROM eval_case WHERE set_name = $name AND revision = $revision
