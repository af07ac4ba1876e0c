-- End the signals of the batch.
INSERT INTO feedback_end BY NAME
SELECT signal.id, $revision AS revision
FROM current_feedback AS signal
WHERE signal.id IN (SELECT id FROM batch)
