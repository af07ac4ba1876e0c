-- Which price table has the newest production call of the deployment in the window, and when did the call start?
SELECT max_by(price_table, (started_at, price_table)) FILTER (price_table IS NOT NULL) AS price_table, max(started_at) FILTER (price_table IS NOT NULL) AS priced_at
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND started_at < $until
