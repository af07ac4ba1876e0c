-- How many outcomes of a set did each judge pass and fail, by judge model, prompt and rubric, the newest first?
SELECT score.scorer, score.judge_model, score.judge_prompt, score.rubric_version,
    count(*) FILTER (score.label = 'pass') AS passes, count(*) FILTER (score.label = 'fail') AS fails,
    max(outcome.started_at) AS newest
FROM current_score AS score
JOIN run ON run.id = score.run_id
JOIN current_outcome AS outcome ON outcome.run_id = score.run_id AND outcome.case_id = score.case_id AND outcome.sample = score.sample
WHERE run.deployment = $deployment AND run.set_name = $set_name AND score.component IS NULL AND score.value IS NOT NULL
    AND coalesce(score.judge_model, score.judge_prompt) IS NOT NULL
GROUP BY ALL
ORDER BY newest DESC, score.scorer, score.judge_model, score.judge_prompt, score.rubric_version
