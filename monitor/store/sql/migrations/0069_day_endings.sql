-- The last call of each conversation on a settled day, if its answer has no information: it failed, refused or is empty.

CREATE TABLE day_ending (
    deployment VARCHAR NOT NULL, "day" DATE NOT NULL, version VARCHAR, conversation_id VARCHAR NOT NULL,
    started_at TIMESTAMPTZ NOT NULL
);

-- All days are settled again, with their endings.
DELETE FROM settled_day;
DELETE FROM day_traffic;
DELETE FROM day_correction;
DELETE FROM day_latency;
