-- Has this instant of the schedule been handled?
SELECT instant
FROM planned_instant
WHERE schedule = $schedule AND deployment = $deployment AND instant = $instant
