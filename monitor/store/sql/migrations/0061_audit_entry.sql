-- The audit log. Each entry contains the hash of the entry before it; the newest hash is in the watermark too.
-- No key: verification finds an entry that is there twice, and an index would refuse to load a file that was changed.

CREATE TABLE audit_entry (
    number BIGINT NOT NULL, "at" TIMESTAMPTZ NOT NULL, kind VARCHAR NOT NULL, operation VARCHAR NOT NULL,
    principal VARCHAR, deployment VARCHAR, object_id VARCHAR, status BIGINT, count BIGINT NOT NULL, address VARCHAR,
    request_id VARCHAR, previous VARCHAR NOT NULL, hash VARCHAR NOT NULL
);

ALTER TABLE watermark ADD COLUMN audit_number BIGINT;
ALTER TABLE watermark ADD COLUMN audit_hash VARCHAR;
