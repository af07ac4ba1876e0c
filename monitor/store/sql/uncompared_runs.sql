-- Which finished runs has nobody judged yet?
SELECT run.*
FROM run
WHERE state IN ('complete', 'failed') AND NOT EXISTS (FROM finding WHERE finding.candidate_run = run.id)
ORDER BY finished_at, id
