-- Remove days of the batch from the settled ones: their stored counts are no longer valid.
DELETE FROM settled_day WHERE (deployment, "day") IN (SELECT (deployment, "day") FROM batch)
