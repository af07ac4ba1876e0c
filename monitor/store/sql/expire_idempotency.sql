-- Remove stored responses that no repeated request can need.
DELETE FROM idempotency WHERE "at" < $before
