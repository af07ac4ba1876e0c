-- What have these runs spent over all their starts?
SELECT run_id, CAST(sum(requests) AS BIGINT) AS requests, CAST(sum(tokens) AS BIGINT) AS tokens, sum(usd) AS usd
FROM replay_spend
WHERE list_contains($run_ids::VARCHAR[], run_id)
GROUP BY run_id
