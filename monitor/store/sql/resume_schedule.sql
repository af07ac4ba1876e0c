-- End the pauses of a schedule that are in effect.
UPDATE schedule_pause
SET resumed_at = $now, resumed_by = $who
WHERE schedule = $schedule AND resumed_at IS NULL AND (ends_at IS NULL OR ends_at > $now)
