-- Remove the stored conversations of the days of the batch.
DELETE FROM day_conversation WHERE (deployment, "day") IN (SELECT (deployment, "day") FROM batch)
