-- Record that a migration was applied.
INSERT INTO schema_migration VALUES ($version, $name, $checksum, $now)
