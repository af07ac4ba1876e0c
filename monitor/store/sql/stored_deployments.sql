-- Which deployments have rows, configured or not?
SELECT deployment FROM interaction
UNION SELECT deployment FROM current_feedback
UNION SELECT deployment FROM candidate
UNION SELECT deployment FROM run
ORDER BY deployment
