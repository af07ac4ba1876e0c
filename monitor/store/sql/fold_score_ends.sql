-- Remove the scores that ended.
DELETE FROM score
USING (SELECT DISTINCT * FROM score_end) AS ended
WHERE ended.run_id = score.run_id AND ended.case_id = score.case_id AND ended.sample = score.sample
