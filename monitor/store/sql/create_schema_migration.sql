-- Create the table of applied migrations.
CREATE TABLE IF NOT EXISTS schema_migration (
    version BIGINT PRIMARY KEY, name VARCHAR NOT NULL, checksum VARCHAR NOT NULL, applied_at TIMESTAMPTZ NOT NULL
)
