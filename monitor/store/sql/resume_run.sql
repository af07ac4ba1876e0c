-- Lets a run that waits for its target be tried at once.
UPDATE run SET retry_at = NULL WHERE id = $id
