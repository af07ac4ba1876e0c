-- Has a score ended whose row is not removed? One row if so.
SELECT 1 AS found FROM score_end LIMIT 1
