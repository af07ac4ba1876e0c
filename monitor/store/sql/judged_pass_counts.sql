-- How many outcomes of each run did this judge pass and fail, the newest run first?
SELECT run.id AS run_id, run.started_at, run.version, count(*) FILTER (score.label = 'pass') AS passes,
    count(*) AS outcomes
FROM current_score AS score
JOIN run ON run.id = score.run_id
WHERE run.deployment = $deployment AND run.set_name = $set_name AND score.scorer = $scorer AND score.component IS NULL
    AND score.value IS NOT NULL AND score.judge_model IS NOT DISTINCT FROM $model
    AND score.judge_prompt IS NOT DISTINCT FROM $prompt AND score.rubric_version IS NOT DISTINCT FROM $rubric
GROUP BY ALL
ORDER BY run.started_at DESC NULLS LAST, run.id DESC
LIMIT $limit
