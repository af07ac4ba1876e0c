-- Which stored replies of the run has this rescore not judged yet?
SELECT outcome.case_id, outcome.sample
FROM current_outcome AS outcome
WHERE outcome.run_id = $run_id AND outcome.error_class IS NULL
    AND NOT EXISTS (
        SELECT 1
        FROM rescored_score AS made
        WHERE made.rescore_id = $id AND made.case_id = outcome.case_id AND made.sample = outcome.sample
    )
ORDER BY outcome.case_id, outcome.sample
