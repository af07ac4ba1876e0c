-- Store the mean of each metric of these runs, and of their deciding verdict.
INSERT INTO run_metric BY NAME
SELECT run_id, metric, mean, scored, decides
FROM unsettled_metric
WHERE list_contains($run_ids::VARCHAR[], run_id)
