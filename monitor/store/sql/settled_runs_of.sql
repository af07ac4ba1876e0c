-- Which of these runs are settled?
SELECT run_id FROM settled_run WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
