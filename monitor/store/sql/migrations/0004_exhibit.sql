-- Comparisons of production traffic with what it was: numbers, and the place of a page beside the database. `summary`
-- holds distances, counts and evidence by column; no row and no page holds a text of a user.

CREATE TABLE exhibit (
    id VARCHAR PRIMARY KEY, deployment VARCHAR NOT NULL, kind VARCHAR NOT NULL, "at" TIMESTAMPTZ NOT NULL,
    reference_since TIMESTAMPTZ NOT NULL, since TIMESTAMPTZ NOT NULL, "until" TIMESTAMPTZ NOT NULL,
    state VARCHAR NOT NULL, reason VARCHAR NOT NULL, path VARCHAR, sha256 VARCHAR, bytes BIGINT, summary VARCHAR NOT NULL
);
