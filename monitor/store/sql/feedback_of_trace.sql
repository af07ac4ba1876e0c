-- Which signal has this id and refers to this trace, and was it overridden?
SELECT signal.*, EXISTS (FROM feedback_override AS later WHERE later.overrides = signal.id) AS overridden
FROM current_feedback AS signal
WHERE signal.id = $id AND signal.trace_id = $trace_id
