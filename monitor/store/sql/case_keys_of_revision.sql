-- Which cases does the revision hold, without what they ask?
SELECT position, case_id, category, severity FROM eval_case WHERE set_name = $name AND revision = $revision ORDER BY position
