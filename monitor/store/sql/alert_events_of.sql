-- What happened to the alert, oldest first?
SELECT * FROM alert_event WHERE alert_id = $alert_id ORDER BY "at", id
