-- Removes exhibits older than the limit, numbers and all.
DELETE FROM exhibit WHERE "at" < $before
