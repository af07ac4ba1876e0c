-- Which findings has alerting not processed?
SELECT * FROM finding WHERE NOT alerted ORDER BY "at", id
