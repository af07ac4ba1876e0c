-- Which runs have requests that started and did not end, and what is the cost of their most expensive reply?
-- A step of root-cause analysis has the id of its run with a suffix.
WITH began AS (
    SELECT run_id, any_value(deployment) AS deployment, CAST(sum(open) AS BIGINT) AS open
    FROM replay_spend
    GROUP BY run_id
    HAVING sum(open) > 0
),
largest AS (
    SELECT run_id, max(coalesce(input_tokens, 0) + coalesce(output_tokens, 0)) AS tokens, max(cost_usd) AS usd
    FROM current_outcome
    WHERE run_id IN (SELECT split_part(run_id, '/', 1) FROM began)
    GROUP BY run_id
)
SELECT began.run_id, began.deployment, began.open, run.forecast, CAST(largest.tokens AS BIGINT) AS tokens, largest.usd
FROM began
LEFT JOIN largest ON largest.run_id = split_part(began.run_id, '/', 1)
LEFT JOIN run ON run.id = split_part(began.run_id, '/', 1)
ORDER BY began.run_id
