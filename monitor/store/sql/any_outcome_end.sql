-- Has an outcome ended whose row is not removed? One row if so.
SELECT 1 AS found FROM outcome_end LIMIT 1
