-- Lets a run that its target could not answer wait; what was answered stays.
UPDATE run
SET retry_at = $until, retries = retries + 1, error = $why
WHERE id = $id
