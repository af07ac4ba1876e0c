-- What did the replies of these runs cost, how long did they take, and how did they end?
WITH refused AS (
    SELECT DISTINCT run_id, case_id, sample
    FROM current_score
    WHERE run_id IN (SELECT unnest($runs::VARCHAR[])) AND failure_category = 'refusal'
)
SELECT count(*) AS outcomes, count(outcome.error_class) AS errors, count(outcome.cost_usd) AS priced,
    round(sum(outcome.cost_usd), 9) AS cost_usd, quantile_cont(outcome.latency_ms, 0.5) AS latency_p50_ms,
    quantile_cont(outcome.latency_ms, 0.95) AS latency_p95_ms, quantile_cont(outcome.ttft_ms, 0.5) AS ttft_p50_ms,
    avg(outcome.input_tokens) AS input_tokens_mean, max(outcome.input_tokens) AS input_tokens_max,
    avg(outcome.output_tokens) AS output_tokens_mean,
    CASE WHEN count(outcome.finish_reason) > 0
        THEN count(*) FILTER (WHERE outcome.finish_reason IN ('length', 'max_tokens', 'max_output_tokens'))
    END AS truncated,
    CASE WHEN count(outcome.finish_reason) > 0 THEN count(*) FILTER (WHERE outcome.finish_reason = 'content_filter') END AS filtered,
    count(refused.run_id) AS refused,
    count(*) FILTER (WHERE outcome.tool_calls IS NOT NULL OR outcome.tool_calls_sealed IS NOT NULL) AS with_tools
FROM current_outcome AS outcome
LEFT JOIN refused ON refused.run_id = outcome.run_id AND refused.case_id = outcome.case_id AND refused.sample = outcome.sample
WHERE outcome.run_id IN (SELECT unnest($runs::VARCHAR[]))
