-- When was what each accepted candidate asks first corrected, and who asked it?
SELECT candidate.content_hash, candidate.proposed_at AS "at", first(interaction.user_id) AS "user"
FROM candidate
LEFT JOIN interaction ON interaction.id = candidate.interaction_id
WHERE candidate.deployment = $deployment AND candidate.state = 'accepted'
GROUP BY candidate.content_hash, candidate.proposed_at
