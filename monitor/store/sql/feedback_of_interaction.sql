-- Which feedback is linked to this interaction, the oldest first?
-- The ids are searched first in the rows and in the facts, because a condition on a link reads every signal.
SELECT *
FROM current_feedback
WHERE linked_interaction_id = $id AND id IN (
    SELECT id FROM feedback WHERE linked_interaction_id = $id
    UNION ALL
    SELECT id FROM feedback_link WHERE linked_interaction_id = $id
)
ORDER BY "at", id
