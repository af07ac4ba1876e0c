-- Which migrations are applied to this file?
SELECT version, name, checksum FROM schema_migration ORDER BY version
