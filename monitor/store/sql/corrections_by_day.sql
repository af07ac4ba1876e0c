-- How many corrections of each deployment arrived on each UTC day of the window?
SELECT deployment, CAST("at" AT TIME ZONE 'UTC' AS DATE) AS "day", count(*) AS corrections
FROM current_feedback AS signal
WHERE is_correction AND "at" >= $since AND "at" < $until AND deployment IN (SELECT unnest($deployments::VARCHAR[]))
    AND NOT EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id)
GROUP BY ALL
