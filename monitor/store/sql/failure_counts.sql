-- How many cases failed in each of the runs, by failure category?
SELECT run_id, failure_category, CAST(sum(cases) AS BIGINT) AS count
FROM run_count
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[])) AND failure_category IS NOT NULL
GROUP BY run_id, failure_category
ORDER BY run_id, count DESC, failure_category
