-- How many transactions were committed, compared at each start with a file outside the write-ahead log, and what was
-- found to be missing.

CREATE TABLE watermark (
    database_id VARCHAR NOT NULL, commits BIGINT NOT NULL, changed_rows BIGINT NOT NULL, last_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE loss (
    id VARCHAR NOT NULL, found_at TIMESTAMPTZ NOT NULL, reason VARCHAR NOT NULL, commits BIGINT, changed_rows BIGINT,
    since TIMESTAMPTZ, until TIMESTAMPTZ, acknowledged_at TIMESTAMPTZ, acknowledged_by VARCHAR, note VARCHAR
);
