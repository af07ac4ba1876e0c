-- Fails a run on which a loop keeps crashing; what it answered stays.
UPDATE run
SET state = 'failed', finished_at = coalesce(finished_at, $at), error = $error, retry_at = NULL
WHERE id = $id
