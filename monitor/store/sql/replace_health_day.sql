-- Remove the figures of the day that are about to be replaced.
DELETE FROM set_health_day WHERE set_name = $name AND deployments = $deployments AND "day" = $day
