-- Which candidates of the deployment have been accepted, newest first?
SELECT *
FROM candidate
WHERE deployment = $deployment AND state = 'accepted'
ORDER BY proposed_at DESC, id DESC
LIMIT $limit
