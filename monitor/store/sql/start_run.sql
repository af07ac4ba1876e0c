-- Mark a run as running. A resumed run keeps its first start.
UPDATE run SET state = 'running', started_at = coalesce(started_at, $at), retry_at = NULL, error = NULL WHERE id = $id
