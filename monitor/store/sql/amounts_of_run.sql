-- How long did each answer of the run take, what did it cost, and how long was it?
SELECT latency_ms, cost_usd, output_tokens
FROM current_outcome
WHERE run_id = $run_id AND error_class IS NULL
