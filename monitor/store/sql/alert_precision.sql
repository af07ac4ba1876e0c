-- How did people judge the alerts of each rule that fired since this time?
SELECT
    rule,
    count(*) AS fired,
    count(*) FILTER (verdict = 'true') AS "true",
    count(*) FILTER (verdict = 'false') AS "false",
    count(*) FILTER (verdict = 'expected') AS expected
FROM alert
WHERE fired_at IS NOT NULL
    AND ($since::TIMESTAMPTZ IS NULL OR fired_at >= $since)
    AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
GROUP BY rule
ORDER BY rule
