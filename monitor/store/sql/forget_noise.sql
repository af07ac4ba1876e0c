-- Remove the noise of the sets whose runs get other scores.
DELETE FROM set_noise
WHERE (deployment, set_name) IN (SELECT (deployment, set_name) FROM run WHERE id IN (SELECT unnest($run_ids::VARCHAR[])))
