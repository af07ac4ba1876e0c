-- Which case of the revision has this id?
SELECT * FROM eval_case WHERE set_name = $name AND revision = $revision AND case_id = $case_id
