-- Which production calls did the new version of a change answer first?
SELECT interaction.trace_id, interaction.span_id
FROM change
JOIN current_interaction AS interaction ON interaction.deployment = change.deployment AND interaction.identity = change.to_version
WHERE change.id = $change_id AND interaction.origin = 'production' AND interaction.duplicate_of IS NULL
    AND interaction.started_at >= change."at" - INTERVAL 1 DAY
    AND interaction.trace_id IS NOT NULL AND interaction.span_id IS NOT NULL
ORDER BY interaction.started_at, interaction.id
LIMIT $limit
