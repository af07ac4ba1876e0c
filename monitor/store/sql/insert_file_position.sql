-- Store the first position of a file.
INSERT INTO file_position BY NAME
SELECT $digest AS digest, $read_to AS read_to, $records AS records, $at AS stored_at
