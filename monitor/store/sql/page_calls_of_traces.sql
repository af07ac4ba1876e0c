-- Which production calls of these traces, spans and statuses come next in the list, the newest first?
-- An empty list matches all.
SELECT *
FROM current_interaction
WHERE origin = 'production' AND duplicate_of IS NULL AND trace_id IS NOT NULL AND span_id IS NOT NULL
    AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR started_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR started_at < $until)
    AND (len($traces::VARCHAR[]) = 0 OR list_contains($traces::VARCHAR[], trace_id))
    AND (len($spans::VARCHAR[]) = 0 OR list_contains($spans::VARCHAR[], span_id))
    AND (len($parents::VARCHAR[]) = 0 OR list_contains($parents::VARCHAR[], coalesce(parent_span_id, 'null')))
    AND (len($statuses::VARCHAR[]) = 0 OR list_contains($statuses::VARCHAR[], status))
    AND ($before_at::TIMESTAMPTZ IS NULL OR started_at < $before_at OR (started_at = $before_at AND id < $before_tie))
ORDER BY started_at DESC, id DESC
LIMIT $limit
