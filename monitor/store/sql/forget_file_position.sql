-- Remove the position of a file that was read completely, or that is read from its start.
DELETE FROM file_position WHERE digest = $digest
