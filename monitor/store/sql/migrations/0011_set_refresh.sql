-- What each refresh of a dynamic set changed and why: ids of cases and names of reasons, no texts.

CREATE TABLE set_refresh (
    set_name VARCHAR NOT NULL, revision VARCHAR NOT NULL, parent VARCHAR, "at" TIMESTAMPTZ NOT NULL, cases BIGINT NOT NULL,
    carried BIGINT NOT NULL, entered VARCHAR NOT NULL, "left" VARCHAR NOT NULL, replaced VARCHAR NOT NULL,
    kept_out VARCHAR NOT NULL
);
