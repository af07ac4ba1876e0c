-- How many production calls did each version answer on these settled days, and when did its newest call start?
SELECT version, CAST(sum(calls) AS BIGINT) AS calls, max(last_at) AS last_at
FROM day_traffic
WHERE NOT whole AND deployment = $deployment AND version IS NOT NULL AND "day" IN (SELECT unnest($days::DATE[]))
GROUP BY version
