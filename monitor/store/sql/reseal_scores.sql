-- Put what was sealed anew in the place of what it was.
UPDATE score
SET reason_sealed = batch.reason_sealed
FROM batch
WHERE score.run_id = batch.run_id AND score.case_id = batch.case_id AND score.sample = batch.sample
    AND score.scorer = batch.scorer
