-- Which instant of the schedule was handled last?
SELECT max(instant) AS instant FROM planned_instant WHERE schedule = $schedule AND deployment = $deployment
