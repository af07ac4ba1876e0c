-- When each token of the configuration was last used. The token itself is only in the configuration.

CREATE TABLE configured_token_use (
    sha256 VARCHAR NOT NULL PRIMARY KEY, last_used_at TIMESTAMPTZ NOT NULL, last_used_from VARCHAR
);
