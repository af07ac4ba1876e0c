-- What are the inputs of production calls since then? A limited sample, the same one for the same rows.
SELECT input_text, category, started_at
FROM current_interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND list_contains($deployments::VARCHAR[], deployment)
    AND input_text <> '' AND ($until::TIMESTAMPTZ IS NULL OR started_at < $until)
ORDER BY hash(id), id
LIMIT $most
