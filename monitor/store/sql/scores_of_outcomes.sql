-- Which scores do the samples of the batch have in the run? Those that decide come first.
SELECT score.*
FROM current_score AS score
SEMI JOIN batch ON batch.case_id = score.case_id AND batch.sample = score.sample
WHERE score.run_id = $run_id
ORDER BY score.case_id, score.sample, score.decides IS NOT FALSE DESC, score.scorer, score.component NULLS FIRST
