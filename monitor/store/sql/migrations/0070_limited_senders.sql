-- The deployments that the sender of a row is limited to, as JSON (NULL: all). Rows that arrive apart from each other are
-- joined only within these deployments. Rows before this migration have no limit.

ALTER TABLE interaction ADD COLUMN limited_to VARCHAR;
ALTER TABLE feedback ADD COLUMN limited_to VARCHAR;
ALTER TABLE span_content ADD COLUMN limited_to VARCHAR;
ALTER TABLE span_context ADD COLUMN limited_to VARCHAR;
ALTER TABLE span_link ADD COLUMN limited_to VARCHAR;
ALTER TABLE import_job ADD COLUMN limited_to VARCHAR;
