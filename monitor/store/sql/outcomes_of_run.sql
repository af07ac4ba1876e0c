-- What are the outcomes of the run without texts, and does each have a verdict?
SELECT outcome.* EXCLUDE (text, text_sealed, tool_calls, tool_calls_sealed, turns, turns_sealed),
    coalesce(verdict.reached, false) AS scored
FROM current_outcome AS outcome
LEFT JOIN (
    SELECT case_id, sample, count(*) = count(value) AS reached
    FROM current_score
    WHERE run_id = $run_id AND decides IS NOT FALSE
    GROUP BY case_id, sample
) AS verdict ON verdict.case_id = outcome.case_id AND verdict.sample = outcome.sample
WHERE outcome.run_id = $run_id
ORDER BY outcome.started_at, outcome.case_id, outcome.sample
