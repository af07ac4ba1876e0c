-- Which candidate became this case? The id of such a case has the first digits of the hash of the question.
SELECT id, deployment, interaction_id, failure_category, state, proposed_at, decided_at, decided_by
FROM candidate
WHERE content_hash LIKE $prefix || '%'
ORDER BY state = 'accepted' DESC, proposed_at DESC, id DESC
LIMIT 1
