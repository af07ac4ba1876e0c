-- How many answered calls of each settled day were corrected within the late days?
SELECT "day", CAST(sum(calls) AS BIGINT) AS corrected
FROM day_correction
WHERE deployment = $deployment AND whole AND "day" >= CAST($since AS DATE) AND "day" < CAST($until AS DATE)
    AND late_days BETWEEN 0 AND $late_days
GROUP BY "day"
