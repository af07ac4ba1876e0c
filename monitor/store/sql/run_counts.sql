-- How many cases do these runs have by category, part and failure category; how many had a verdict, and how many passed?
SELECT run_id, category, part, failure_category, cases, scored, passed
FROM run_count
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
