-- Fail a run on which a loop crashed repeatedly. Its outcomes stay.
UPDATE run
SET state = CASE WHEN state = 'cancelled' THEN state ELSE 'failed' END, finished_at = coalesce(finished_at, $at), error = $error, retry_at = NULL
WHERE id = $id
