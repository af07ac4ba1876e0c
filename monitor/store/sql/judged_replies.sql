-- What did a judge decide on each stored reply of a set, how long is the reply, and which model wrote it?
-- The text of a sealed reply is measured by its sealed size: header, nonce and tag are $overhead bytes.
SELECT score.run_id, score.case_id, score.sample, score.value, outcome.model,
    coalesce(length(outcome.text), octet_length(outcome.text_sealed) - $overhead) AS length
FROM current_score AS score
JOIN run ON run.id = score.run_id
JOIN current_outcome AS outcome ON outcome.run_id = score.run_id AND outcome.case_id = score.case_id AND outcome.sample = score.sample
WHERE run.deployment = $deployment AND run.set_name = $set_name AND score.scorer = $scorer AND score.component IS NULL
    AND score.value IS NOT NULL AND outcome.error_class IS NULL
    AND score.judge_model IS NOT DISTINCT FROM $model AND score.judge_prompt IS NOT DISTINCT FROM $prompt
    AND score.rubric_version IS NOT DISTINCT FROM $rubric
ORDER BY score.run_id, score.case_id, score.sample
