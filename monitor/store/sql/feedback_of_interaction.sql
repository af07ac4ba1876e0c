-- Which feedback is linked to this interaction, the oldest first?
SELECT *
FROM current_feedback
WHERE id IN (SELECT id FROM current_feedback WHERE linked_interaction_id = $id)
ORDER BY "at", id
