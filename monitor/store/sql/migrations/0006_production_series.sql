-- A finding, its alert and an accepted baseline speak of a set or of a series of production traffic. `day` is the last one
-- a finding on a series looked at, `production` what it rests on, as JSON.

ALTER TABLE finding ALTER COLUMN set_name DROP NOT NULL;
ALTER TABLE finding ALTER COLUMN set_kind DROP NOT NULL;
ALTER TABLE finding ALTER COLUMN candidate_run DROP NOT NULL;
ALTER TABLE finding ADD COLUMN series VARCHAR;
ALTER TABLE finding ADD COLUMN "day" DATE;
ALTER TABLE finding ADD COLUMN production VARCHAR;

ALTER TABLE alert ALTER COLUMN set_name DROP NOT NULL;
ALTER TABLE alert ADD COLUMN series VARCHAR;

ALTER TABLE baseline ALTER COLUMN set_name DROP NOT NULL;
ALTER TABLE baseline ALTER COLUMN run_id DROP NOT NULL;
ALTER TABLE baseline ADD COLUMN series VARCHAR;
