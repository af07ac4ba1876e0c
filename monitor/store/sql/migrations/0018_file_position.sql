-- How far files have been read whose reading was broken off; a file that was read whole has no row.

CREATE TABLE file_position (
    digest VARCHAR NOT NULL, read_to BIGINT NOT NULL, records BIGINT NOT NULL, stored_at TIMESTAMPTZ NOT NULL
);
