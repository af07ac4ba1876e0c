-- What do the rejected candidates of the deployment ask?
SELECT content_hash FROM candidate WHERE deployment = $deployment AND state = 'rejected'
