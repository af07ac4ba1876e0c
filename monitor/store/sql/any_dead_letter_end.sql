-- Has a dead letter ended whose row is not removed? One row if so.
SELECT 1 AS found FROM dead_letter_end LIMIT 1
