-- Remove the rows of verdicts on turns that were replaced.
DELETE FROM turn_signal
USING (SELECT id, max(revision) AS revision FROM turn_signal_end GROUP BY id) AS ended
WHERE ended.id = turn_signal.id AND ended.revision > turn_signal.revision
