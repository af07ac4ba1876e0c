-- What is the newest measurement of the health of the set, from the runs and the traffic of these deployments?
SELECT revision, inputs, computed_at, runs, concerns, "document" FROM set_health WHERE set_name = $name AND deployments = $deployments
