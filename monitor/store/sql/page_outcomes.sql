-- Which outcomes of the run come next in the list, newest first?
SELECT *, case_id || '/' || sample AS tie
FROM current_outcome
WHERE run_id = $run_id AND ($deployment::VARCHAR IS NULL
    OR run_id IN (SELECT id FROM run WHERE deployment = $deployment))
    AND ($since::TIMESTAMPTZ IS NULL OR started_at >= $since)
    AND ($until::TIMESTAMPTZ IS NULL OR started_at < $until)
    AND ($before_at::TIMESTAMPTZ IS NULL OR started_at < $before_at OR (started_at = $before_at AND case_id || '/' || sample < $before_tie))
ORDER BY started_at DESC, case_id || '/' || sample DESC
LIMIT $limit
