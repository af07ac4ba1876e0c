-- What are the totals of the outcomes of a run?
SELECT count(*) AS outcomes, count(DISTINCT case_id) AS cases, coalesce(max(sample), -1) + 1 AS samples,
    count(*) FILTER (WHERE error_class IS NOT NULL) AS errors, coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens, round(sum(cost_usd), 9) AS cost_usd,
    quantile_disc(latency_ms, 0.5) AS latency_ms_p50, quantile_disc(latency_ms, 0.95) AS latency_ms_p95,
    max(started_at) AS last_at, count(*) FILTER (WHERE error_class IS NULL AND cost_usd IS NULL) AS unpriced
FROM current_outcome
WHERE run_id = $run_id
