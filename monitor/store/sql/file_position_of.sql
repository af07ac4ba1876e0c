-- At which position is a file read on?
SELECT read_to, records FROM file_position WHERE digest = $digest
