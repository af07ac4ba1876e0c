-- Which instant of the schedule was handled last? An instant after $until was stored while the clock was ahead.
SELECT max(instant) AS instant
FROM planned_instant
WHERE schedule = $schedule AND deployment = $deployment AND instant <= $until
