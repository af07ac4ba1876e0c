-- Forget how far a file was read: it was read whole, or is read from its beginning.
DELETE FROM file_position WHERE digest = $digest
