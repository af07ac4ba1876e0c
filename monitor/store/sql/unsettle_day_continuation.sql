-- Remove the stored continuations from and to the days of the batch.
DELETE FROM day_continuation
WHERE (deployment, ended_on) IN (SELECT (deployment, "day") FROM batch)
    OR (deployment, continued_on) IN (SELECT (deployment, "day") FROM batch)
