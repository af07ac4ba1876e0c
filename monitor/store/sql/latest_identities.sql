-- Which identities served the newest production interactions of the deployment before then?
SELECT id AS interaction_id, identity, started_at, system_fingerprint, response_model, request_model,
    prompt_id, prompt_version, prompt_hash
FROM current_interaction
WHERE deployment = $deployment AND origin = 'production' AND duplicate_of IS NULL AND started_at < $until
ORDER BY started_at DESC, id DESC
LIMIT $limit
