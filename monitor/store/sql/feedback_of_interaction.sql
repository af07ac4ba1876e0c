-- Which feedback is linked to this interaction, the oldest first?
SELECT * FROM feedback WHERE linked_interaction_id = $id ORDER BY "at", id
