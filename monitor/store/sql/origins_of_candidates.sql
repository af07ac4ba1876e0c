-- When was the question of each accepted candidate first corrected, and which user sent it?
SELECT candidate.content_hash, candidate.proposed_at AS "at", first(interaction.user_id) AS "user"
FROM candidate
LEFT JOIN current_interaction AS interaction ON interaction.id = candidate.interaction_id
WHERE candidate.deployment = $deployment AND candidate.state = 'accepted'
GROUP BY candidate.content_hash, candidate.proposed_at
