-- Which of these signals are corrections, and which calls are they linked to until now?
SELECT id, linked_interaction_id
FROM current_feedback
WHERE is_correction AND id IN (SELECT feedback_id FROM batch)
