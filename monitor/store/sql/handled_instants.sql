-- When was the schedule first and last checked for the deployment, and when was its newest instant handled?
SELECT min(instant) AS first, max(instant) AS last, arg_max(handled_at, instant) AS handled_at
FROM planned_instant
WHERE schedule = $schedule AND deployment = $deployment AND instant <= $now
