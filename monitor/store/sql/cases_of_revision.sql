-- Which cases does the revision contain?
SELECT * FROM eval_case WHERE set_name = $name AND revision = $revision ORDER BY position
