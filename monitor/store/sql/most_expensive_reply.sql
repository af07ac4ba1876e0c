-- What is the cost of the most expensive reply to the replays of the deployment since then?
SELECT CAST(max(coalesce(outcome.input_tokens, 0) + coalesce(outcome.output_tokens, 0)) AS BIGINT) AS tokens,
    max(outcome.cost_usd) AS usd
FROM current_outcome AS outcome
JOIN run ON run.id = outcome.run_id
WHERE run.deployment = $deployment AND run.planned_at >= $since AND run.trigger <> 'imported'
