-- How many replies of a run name each model, the most frequent first?
SELECT model, count(*) AS replies
FROM current_outcome
WHERE run_id = $run_id AND model IS NOT NULL
GROUP BY model
ORDER BY replies DESC, model
LIMIT 50
