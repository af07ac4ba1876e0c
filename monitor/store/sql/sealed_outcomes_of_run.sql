-- Which sealed values do the outcomes of the run have?
SELECT run_id, case_id, sample, text_sealed, tool_calls_sealed, turns_sealed
FROM current_outcome
WHERE run_id = $run_id
