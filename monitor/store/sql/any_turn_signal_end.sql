-- Has a verdict ended whose row is not removed? One row if so.
SELECT 1 AS found FROM turn_signal_end LIMIT 1
