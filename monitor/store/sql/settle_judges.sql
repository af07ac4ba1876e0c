-- Store the deciding scorers and the metrics of these runs with their versions.
INSERT INTO run_judge BY NAME
SELECT DISTINCT run_id, decides IS NOT FALSE AS decides,
    CASE WHEN component IS NULL THEN scorer ELSE scorer || '.' || component END AS metric, scorer_version
FROM current_score
WHERE run_id IN (SELECT unnest($run_ids::VARCHAR[]))
