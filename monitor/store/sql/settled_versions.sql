-- How many production calls did each version answer on these settled days, and which of the days is its newest?
SELECT version, CAST(sum(calls) AS BIGINT) AS calls, max("day") AS "day"
FROM day_traffic
WHERE NOT whole AND deployment = $deployment AND version IS NOT NULL AND "day" IN (SELECT unnest($days::DATE[]))
GROUP BY version
