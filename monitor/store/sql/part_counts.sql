-- How many cases of each part of a dynamic set do these runs have, how many had a verdict, and how many passed?
SELECT run_id, part, CAST(sum(cases) AS BIGINT) AS cases, CAST(sum(scored) AS BIGINT) AS scored,
    CAST(sum(passed) AS BIGINT) AS passed
FROM run_count
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[])) AND part IS NOT NULL
GROUP BY run_id, part
ORDER BY run_id, part DESC
