-- Which pauses did each schedule have?
SELECT id, schedule, paused_at, paused_by, ends_at, reason, resumed_at, resumed_by
FROM schedule_pause
ORDER BY schedule, paused_at, id
