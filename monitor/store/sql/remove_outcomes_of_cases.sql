-- Remove the outcomes of these cases of the set from every run.
DELETE FROM outcome
WHERE case_id IN (SELECT unnest($ids)) AND run_id IN (SELECT id FROM run WHERE set_name = $name)
