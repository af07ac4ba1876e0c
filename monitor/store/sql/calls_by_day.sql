-- How many production calls does each deployment have on each UTC day of the window?
SELECT deployment, CAST(started_at AT TIME ZONE 'UTC' AS DATE) AS "day", count(*) AS calls
FROM current_interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
    AND deployment IN (SELECT unnest($deployments::VARCHAR[]))
GROUP BY ALL
