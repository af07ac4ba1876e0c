-- Which identities served the deployment since then, how often, and when first and last?
SELECT identity, count(*) AS count, min(started_at) AS first_seen, max(started_at) AS last_seen,
    last(request_model ORDER BY started_at, id) AS request_model,
    last(response_model ORDER BY started_at, id) AS response_model,
    last(prompt_id ORDER BY started_at, id) AS prompt_id,
    last(prompt_version ORDER BY started_at, id) AS prompt_version,
    last(prompt_hash ORDER BY started_at, id) AS prompt_hash,
    last(system_fingerprint ORDER BY started_at, id) AS system_fingerprint
FROM current_interaction
WHERE deployment = $deployment AND started_at >= $since
    AND origin = 'production' AND duplicate_of IS NULL AND status = 'ok' AND identity IS NOT NULL
GROUP BY identity
ORDER BY first_seen, identity
