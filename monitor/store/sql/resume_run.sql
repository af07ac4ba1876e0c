-- Make a run that waits for its target due immediately.
UPDATE run SET retry_at = NULL WHERE id = $id
