-- Takes back the cases that the batch's signals proposed and nobody decided yet.
DELETE FROM candidate WHERE state = 'proposed' AND feedback_id IN (SELECT id FROM batch)
