-- Which outcomes does this case have in the run?
SELECT *
FROM current_outcome
WHERE run_id = $run_id AND case_id = $case_id
ORDER BY sample
