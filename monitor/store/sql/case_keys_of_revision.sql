-- Which cases does the revision contain, without their content?
SELECT position, case_id, category, severity FROM eval_case WHERE set_name = $name AND revision = $revision ORDER BY position
