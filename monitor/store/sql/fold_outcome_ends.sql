-- Remove the outcomes that ended.
DELETE FROM outcome
USING (SELECT DISTINCT * FROM outcome_end) AS ended
WHERE ended.run_id = outcome.run_id AND ended.case_id = outcome.case_id AND ended.sample = outcome.sample
