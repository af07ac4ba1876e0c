-- What was asked in production since then? At most so many calls, the same ones whenever it is asked.
SELECT input_text, category
FROM interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND started_at >= $since AND list_contains($deployments::VARCHAR[], deployment)
    AND input_text <> ''
ORDER BY hash(id), id
LIMIT $most
