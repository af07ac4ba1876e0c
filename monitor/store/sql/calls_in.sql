-- How many production calls does each of these deployments have in the window?
SELECT deployment, count(*) AS calls
FROM current_interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
    AND deployment IN (SELECT unnest($deployments::VARCHAR[]))
GROUP BY deployment
