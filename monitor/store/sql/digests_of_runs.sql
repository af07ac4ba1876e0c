-- What identifies the stored results of these runs? Runs without stored results are left out.
SELECT run_id, digest FROM settled_run WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[])) ORDER BY run_id
