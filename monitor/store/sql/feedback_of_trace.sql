-- Which signal has this id and speaks of this trace, and has another taken its place?
SELECT feedback.*, EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id) AS overridden
FROM feedback
WHERE feedback.id = $id AND feedback.trace_id = $trace_id
