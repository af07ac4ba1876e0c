-- Set the change that a run evaluates.
UPDATE run SET change_id = $change_id WHERE id = $id
