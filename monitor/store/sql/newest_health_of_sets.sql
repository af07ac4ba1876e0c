-- What is the newest measurement of the health of each set and each group of deployments?
SELECT set_name, deployments, revision, computed_at, runs, "document" FROM set_health ORDER BY set_name, deployments
