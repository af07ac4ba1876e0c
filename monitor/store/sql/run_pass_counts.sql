-- How many cases of each of the runs have a verdict, and how many of them pass?
SELECT run_id, CAST(sum(scored) AS BIGINT) AS scored, CAST(sum(passed) AS BIGINT) AS passed
FROM run_count
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
GROUP BY run_id
