-- Remove the measurement of the set that is about to be replaced.
DELETE FROM set_health WHERE set_name = $name AND deployments = $deployments
