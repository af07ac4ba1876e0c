-- Names the change that a run answers for.
UPDATE run SET change_id = $change_id WHERE id = $id
