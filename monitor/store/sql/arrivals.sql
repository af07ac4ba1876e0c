-- How many production calls of each deployment arrived in the last minute, hour and day, and when did the last one arrive?
-- `clock_ahead` counts calls that started long after they arrived. Rows are appended in the order of arrival: DuckDB skips
-- older blocks by their minimum and maximum time.
SELECT deployment, count(*) FILTER (received_at >= $minute) AS last_minute, count(*) FILTER (received_at >= $hour) AS last_hour,
    count(*) AS last_day, max(received_at) AS last_at,
    count(*) FILTER (started_at - to_seconds($ahead_s) > received_at) AS clock_ahead
FROM current_interaction
WHERE received_at >= $day AND origin = 'production' AND duplicate_of IS NULL
GROUP BY deployment
ORDER BY deployment
