-- What did the run get to hear on this case?
SELECT *
FROM outcome
WHERE run_id = $run_id AND case_id = $case_id
ORDER BY sample
