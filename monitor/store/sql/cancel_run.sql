-- End an open run because a person cancelled it.
UPDATE run
SET state = 'cancelled', finished_at = $at, error = $why, retry_at = NULL
WHERE id = $id AND state IN ('planned', 'running')
