-- Which finished runs have no finding yet?
SELECT run.*
FROM run
WHERE state IN ('complete', 'failed') AND NOT EXISTS (FROM finding WHERE finding.candidate_run = run.id)
ORDER BY finished_at, id
