-- Which scores do the samples of the batch have in the run?
SELECT score.*
FROM score
SEMI JOIN batch ON batch.case_id = score.case_id AND batch.sample = score.sample
WHERE score.run_id = $run_id
ORDER BY score.case_id, score.sample, score.scorer
