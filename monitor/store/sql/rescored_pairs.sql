-- What are the stored and the new score of each metric on each sample of a rescore?
SELECT made.case_id, made.sample,
    CASE WHEN made.component IS NULL THEN made.scorer ELSE made.scorer || '.' || made.component END AS metric,
    score.value AS old_value, score.label AS old_label, made.value AS new_value, made.label AS new_label,
    made.reason AS new_reason, made.failure_category AS new_failure_category, made.judge_model AS new_model
FROM rescored_score AS made
JOIN rescore ON rescore.id = made.rescore_id
LEFT JOIN current_score AS score ON score.run_id = rescore.run_id AND score.case_id = made.case_id AND score.sample = made.sample
    AND score.scorer = made.scorer AND score.component IS NOT DISTINCT FROM made.component
WHERE made.rescore_id = $id
ORDER BY made.case_id, made.sample, metric
