-- Remove the rows of signals that were revised or retracted.
DELETE FROM feedback
USING (SELECT id, max(revision) AS revision FROM feedback_end GROUP BY id) AS ended
WHERE ended.id = feedback.id AND ended.revision > feedback.revision
