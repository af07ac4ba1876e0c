-- Gives these verdicts to another run, with what is sealed anew for their new place.
UPDATE score
SET run_id = $run_id, reason_sealed = batch.reason_sealed
FROM batch
WHERE score.run_id = batch.run_id AND score.case_id = batch.case_id AND score.sample = batch.sample
    AND score.scorer = batch.scorer
