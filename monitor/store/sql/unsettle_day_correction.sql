-- Remove the stored counts of the days of the batch.
DELETE FROM day_correction WHERE (deployment, "day") IN (SELECT (deployment, "day") FROM batch)
