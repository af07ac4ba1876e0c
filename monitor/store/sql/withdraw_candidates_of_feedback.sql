-- Remove the undecided candidates that the signals of the batch proposed.
DELETE FROM candidate WHERE state = 'proposed' AND feedback_id IN (SELECT id FROM batch)
