-- Which production calls belong to the conversations of the batch?
SELECT interaction.*
FROM current_interaction AS interaction
WHERE interaction.deployment = $deployment AND interaction.origin = 'production' AND interaction.duplicate_of IS NULL
    AND interaction.conversation_id IN (SELECT id FROM batch)
ORDER BY interaction.started_at DESC, interaction.id
LIMIT $limit
