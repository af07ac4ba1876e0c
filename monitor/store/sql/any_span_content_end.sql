-- Has a text ended whose row is not removed? One row if so.
SELECT 1 AS found FROM span_content_end LIMIT 1
