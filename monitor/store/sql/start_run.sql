-- Marks a run as running; one taken up again keeps its first start.
UPDATE run SET state = 'running', started_at = coalesce(started_at, $at), retry_at = NULL, error = NULL WHERE id = $id
