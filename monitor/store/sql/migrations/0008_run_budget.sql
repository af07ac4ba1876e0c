-- What a run was expected to take, what of its budget cut it off and after how many cases, and when it is tried again.

ALTER TABLE run ADD COLUMN forecast VARCHAR;
ALTER TABLE run ADD COLUMN cut_by VARCHAR;
ALTER TABLE run ADD COLUMN asked BIGINT;
ALTER TABLE run ADD COLUMN retries BIGINT DEFAULT 0;
ALTER TABLE run ADD COLUMN retry_at TIMESTAMPTZ;
