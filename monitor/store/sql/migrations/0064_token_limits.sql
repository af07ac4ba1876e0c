-- The deployments that a token is limited to, as JSON (NULL: all), and its last use, which is stored about once a minute.

ALTER TABLE api_token ADD COLUMN deployments VARCHAR;
ALTER TABLE api_token ADD COLUMN last_used_at TIMESTAMPTZ;
ALTER TABLE api_token ADD COLUMN last_used_from VARCHAR;
