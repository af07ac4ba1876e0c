-- How many corrections of each deployment arrived on each UTC day of the window?
SELECT deployment, CAST("at" AT TIME ZONE 'UTC' AS DATE) AS "day", count(*) AS corrections
FROM feedback
WHERE is_correction AND "at" >= $since AND "at" < $until AND deployment IN (SELECT unnest($deployments::VARCHAR[]))
    AND NOT EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id)
GROUP BY ALL
