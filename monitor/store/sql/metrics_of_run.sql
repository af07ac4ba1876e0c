-- Which metrics does the run have, also without any verdict, and which of them decide?
SELECT CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric, bool_or(decides IS NOT FALSE) AS decides
FROM current_score
WHERE run_id = $run_id
GROUP BY metric
ORDER BY metric
