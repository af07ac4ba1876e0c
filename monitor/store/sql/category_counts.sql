-- How many cases of each category had a verdict in each of the runs, and how many passed?
SELECT run_id, category, CAST(sum(scored) AS BIGINT) AS scored, CAST(sum(passed) AS BIGINT) AS passed
FROM run_count
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
GROUP BY run_id, category
ORDER BY run_id, category
