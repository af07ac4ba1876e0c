-- How many samples of each of the runs have an outcome, and what did they cost?
SELECT run_id, count(*) AS outcomes, round(sum(cost_usd), 9) AS cost_usd
FROM current_outcome
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
GROUP BY run_id
