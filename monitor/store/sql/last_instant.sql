-- Which instant of the schedule was handled last? One after $until was written while the clock was ahead.
SELECT max(instant) AS instant
FROM planned_instant
WHERE schedule = $schedule AND deployment = $deployment AND instant <= $until
