-- Which instants were handled while the clock was ahead?
SELECT schedule, deployment, max(instant) AS instant
FROM planned_instant
WHERE instant > $after
GROUP BY schedule, deployment
ORDER BY schedule, deployment
