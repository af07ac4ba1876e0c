-- What do the cases at these positions of the revision ask?
SELECT * FROM eval_case
WHERE set_name = $name AND revision = $revision AND position IN (SELECT unnest($positions))
