-- What are the stored replies of these samples?
SELECT outcome.run_id, outcome.case_id, outcome.sample, outcome.text, outcome.text_sealed, outcome.latency_ms,
    outcome.finish_reason, outcome.model, outcome.tool_calls, outcome.tool_calls_sealed, outcome.turns,
    outcome.turns_sealed
FROM current_outcome AS outcome
JOIN batch ON batch.run_id = outcome.run_id AND batch.case_id = outcome.case_id AND batch.sample = outcome.sample
WHERE outcome.error_class IS NULL
