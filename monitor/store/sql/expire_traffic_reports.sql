-- Removes traffic reports older than the limit, numbers and all.
DELETE FROM traffic_report WHERE "at" < $before
