-- What was concluded of a run, the first finding first?
SELECT id, verdict, severity, reason
FROM finding
WHERE candidate_run = $run_id
ORDER BY "at", id
