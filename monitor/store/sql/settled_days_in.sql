-- Which of these days of deployments are settled?
SELECT settled_day.deployment, settled_day."day"
FROM settled_day
SEMI JOIN batch ON batch.deployment = settled_day.deployment AND batch."day" = settled_day."day"
