-- Which judged outcomes come next in the review sample of a judge?
-- The order is random and fixed by the seed: passed and failed outcomes apart, without those that this person reviewed.
SELECT * EXCLUDE (place, rank)
FROM (
    SELECT score.run_id, score.case_id, score.sample, run.deployment, run.set_name, score.scorer, score.value,
        score.label, score.raw, score.failure_category, score.judge_model, score.judge_prompt, score.rubric_version,
        md5($seed || ':' || score.run_id || '/' || score.case_id || '/' || score.sample) AS rank,
        row_number() OVER (PARTITION BY score.label ORDER BY rank) AS place
    FROM current_score AS score
    JOIN run ON run.id = score.run_id
    JOIN current_outcome AS outcome ON outcome.run_id = score.run_id AND outcome.case_id = score.case_id AND outcome.sample = score.sample
    WHERE run.deployment = $deployment AND run.set_name = $set_name AND score.scorer = $scorer
        AND score.component IS NULL AND score.value IS NOT NULL AND outcome.error_class IS NULL
        AND score.judge_model IS NOT DISTINCT FROM $model AND score.judge_prompt IS NOT DISTINCT FROM $prompt
        AND score.rubric_version IS NOT DISTINCT FROM $rubric
        AND NOT EXISTS (
            SELECT 1
            FROM outcome_review AS made
            WHERE made.run_id = score.run_id AND made.case_id = score.case_id AND made.sample = score.sample
                AND made.scorer = score.scorer AND made.who = $who
        )
)
WHERE place <= CASE WHEN label = 'pass' THEN $passes ELSE $fails END
ORDER BY rank
