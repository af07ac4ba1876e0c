-- Move the position of a file, if it is where the read started.
UPDATE file_position SET read_to = $read_to, records = $records, stored_at = $at
WHERE digest = $digest AND records = $before
