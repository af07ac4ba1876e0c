-- Which notifications does the alert have?
SELECT * FROM notification WHERE alert_id = $alert_id ORDER BY planned_at, id
