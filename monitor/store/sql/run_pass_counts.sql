-- How many cases of each of the runs have a verdict, and how many of them pass? The sums of category_counts, without the cases.
WITH folded AS (
    SELECT run_id, case_id, 2 * count(*) FILTER (WHERE passed) >= count(value) AS passed
    FROM sample_result
    WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
    GROUP BY run_id, case_id
    HAVING count(value) > 0
)
SELECT run_id, count(*) AS scored, count(*) FILTER (WHERE passed) AS passed
FROM folded
GROUP BY run_id
