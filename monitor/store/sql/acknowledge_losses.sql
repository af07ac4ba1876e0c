-- Acknowledge the open losses.
UPDATE loss SET acknowledged_at = $now, acknowledged_by = $who, note = $note WHERE acknowledged_at IS NULL
