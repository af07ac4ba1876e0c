-- Which feedback of one product refers to these spans, newest first?
SELECT *
FROM current_feedback
WHERE span_id IN (SELECT unnest($span_ids::VARCHAR[])) AND starts_with(id, $prefix) AND record IS NOT NULL
    AND (len($only::VARCHAR[]) = 0 OR list_contains($only::VARCHAR[], "name"))
    AND NOT list_contains($but::VARCHAR[], "name")
    AND ($deployment::VARCHAR IS NULL OR deployment = $deployment)
    AND ($since::TIMESTAMPTZ IS NULL OR "at" >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR "at" < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR "at" < $before_at OR ("at" = $before_at AND id < $before_tie))
ORDER BY "at" DESC, id DESC
LIMIT $limit
