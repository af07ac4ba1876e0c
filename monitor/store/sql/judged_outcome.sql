-- What did the judge of a scorer decide on this sample?
SELECT score.run_id, score.case_id, score.sample, run.deployment, run.set_name, score.scorer, score.value, score.label,
    score.raw, score.failure_category, score.judge_model, score.judge_prompt, score.rubric_version
FROM current_score AS score
JOIN run ON run.id = score.run_id
WHERE score.run_id = $run_id AND score.case_id = $case_id AND score.sample = $sample AND score.scorer = $scorer
    AND score.component IS NULL AND score.value IS NOT NULL
