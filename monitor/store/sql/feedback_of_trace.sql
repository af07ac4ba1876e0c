-- Which signal has this id and refers to this trace, and was it overridden?
SELECT feedback.*, EXISTS (FROM feedback AS later WHERE later.overrides = feedback.id) AS overridden
FROM feedback
WHERE feedback.id = $id AND feedback.trace_id = $trace_id
