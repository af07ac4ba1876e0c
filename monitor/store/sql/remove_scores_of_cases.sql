-- Remove the scores of these cases of the set, from every run.
DELETE FROM score
WHERE case_id IN (SELECT unnest($ids)) AND run_id IN (SELECT id FROM run WHERE set_name = $name)
