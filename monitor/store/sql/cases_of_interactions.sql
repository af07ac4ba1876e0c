-- Which cases of dynamic sets were created from the interactions of the batch?
SELECT DISTINCT set_name, case_id
FROM dynamic_case
WHERE interaction_id IN (SELECT id FROM batch)
ORDER BY set_name, case_id
