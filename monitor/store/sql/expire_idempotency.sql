-- Removes answers that no repetition will ask for any more.
DELETE FROM idempotency WHERE "at" < $before
