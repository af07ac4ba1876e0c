-- What are the questions of the rejected candidates of the deployment?
SELECT content_hash FROM candidate WHERE deployment = $deployment AND state = 'rejected'
