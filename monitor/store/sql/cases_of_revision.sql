-- Which cases does the revision hold?
SELECT * FROM eval_case WHERE set_name = $name AND revision = $revision ORDER BY position
