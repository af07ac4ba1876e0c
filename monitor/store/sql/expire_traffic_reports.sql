-- Remove traffic reports older than the limit, including their numbers.
DELETE FROM traffic_report WHERE "at" < $before
