-- Which calls are these signals corrections of, or the signals that they override?
SELECT DISTINCT linked_interaction_id AS id
FROM current_feedback
WHERE is_correction AND linked_interaction_id IS NOT NULL AND (
    id IN (SELECT id FROM batch)
    OR id IN (SELECT overrides FROM feedback_override WHERE id IN (SELECT id FROM batch))
)
