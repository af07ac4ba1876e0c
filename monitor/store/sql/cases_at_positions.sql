-- What is the content of the cases at these positions of the revision?
SELECT * FROM eval_case
WHERE set_name = $name AND revision = $revision AND position IN (SELECT unnest($positions))
