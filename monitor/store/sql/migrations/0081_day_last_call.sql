-- The time of the newest call of each version on a settled day.
ALTER TABLE day_traffic ADD COLUMN last_at TIMESTAMPTZ;

-- All days are settled again, with this time.
DELETE FROM settled_day;
DELETE FROM day_traffic;
DELETE FROM day_correction;
DELETE FROM day_latency;
DELETE FROM day_ending;
