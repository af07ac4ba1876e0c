-- What happened to the alert, oldest first? Events of one instant have the order in which they were added.
SELECT id, alert_id, "at", kind, who, note FROM alert_event WHERE alert_id = $alert_id ORDER BY "at", rowid
