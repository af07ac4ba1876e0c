-- Which days of the deployment in [since, until) are settled?
SELECT "day", prices, price_table, priced_at, price_tables
FROM settled_day
WHERE deployment = $deployment AND "day" >= CAST($since AS DATE) AND "day" < CAST($until AS DATE)
ORDER BY "day"
