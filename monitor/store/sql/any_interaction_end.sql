-- Has a call ended whose row is not removed? One row if so.
SELECT 1 AS found FROM interaction_end LIMIT 1
