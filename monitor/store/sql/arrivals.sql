-- How many production calls of each deployment arrived in the last minute, hour and day, and when the last one did?
-- `clock_ahead` of them began long after they arrived.
-- Rows are appended as they arrive: what is older than a day is passed over by the least and greatest time of its block.
SELECT deployment, count(*) FILTER (received_at >= $minute) AS last_minute, count(*) FILTER (received_at >= $hour) AS last_hour,
    count(*) AS last_day, max(received_at) AS last_at,
    count(*) FILTER (started_at - to_seconds($ahead_s) > received_at) AS clock_ahead
FROM interaction
WHERE received_at >= $day AND origin = 'production' AND duplicate_of IS NULL
GROUP BY deployment
ORDER BY deployment
