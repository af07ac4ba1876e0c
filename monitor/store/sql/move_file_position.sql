-- Move the position of a file that stands where the piece was read from.
UPDATE file_position SET read_to = $read_to, records = $records, stored_at = $at
WHERE digest = $digest AND records = $before
