-- Record the migrations whose tables a new file starts with.
INSERT INTO schema_migration SELECT unnest($versions), unnest($names), unnest($checksums), $now
