-- End the earlier rows of the signals that got a row of this revision.
INSERT INTO feedback_end BY NAME
SELECT id, revision
FROM feedback
WHERE revision = $revision AND id IN (SELECT id FROM batch)
