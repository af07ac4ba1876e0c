-- Postpone a run whose target does not answer. Its outcomes stay.
UPDATE run
SET retry_at = $until, retries = retries + 1, error = $why
WHERE id = $id
