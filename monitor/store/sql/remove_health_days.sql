-- Remove the figures of these days: a run that ended on the first of them has other results now.
DELETE FROM set_health_day WHERE set_name = $name AND deployments = $deployments AND "day" >= $since AND "day" < $until
