-- Remove the stored endings of the days of the batch.
DELETE FROM day_ending WHERE (deployment, "day") IN (SELECT (deployment, "day") FROM batch)
