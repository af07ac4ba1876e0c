-- The conversations of a settled day, as a digest of their ids: 63 bits of MD5. A conversation that ended without information on
-- an earlier day is searched among them instead of among all calls. Two of a million ids are equal with a probability of 5e-8.

CREATE TABLE day_conversation (deployment VARCHAR NOT NULL, "day" DATE NOT NULL, conversation BIGINT NOT NULL);

-- The time of the newest call of each version.
ALTER TABLE day_traffic ADD COLUMN last_at TIMESTAMPTZ;

-- All days are settled again, with both.
DELETE FROM settled_day;
DELETE FROM day_traffic;
DELETE FROM day_correction;
DELETE FROM day_latency;
DELETE FROM day_ending;
