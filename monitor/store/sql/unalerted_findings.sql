-- Which findings has alerting not looked at?
SELECT * FROM finding WHERE NOT alerted ORDER BY "at", id
