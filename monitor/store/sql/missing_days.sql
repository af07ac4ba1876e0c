-- Which is the newest UTC day in [first, last] that is not settled with these prices, and for which deployments?
WITH missing AS (
    SELECT batch.deployment, CAST(series."day" AS DATE) AS "day"
    FROM batch
    CROSS JOIN (SELECT unnest(generate_series($first::DATE, $last::DATE, INTERVAL 1 DAY)) AS "day") AS series
    ANTI JOIN settled_day ON settled_day.deployment = batch.deployment AND settled_day."day" = series."day"
        AND settled_day.prices = batch.prices
)
SELECT deployment, "day"
FROM missing
WHERE "day" = (SELECT max("day") FROM missing)
ORDER BY deployment
