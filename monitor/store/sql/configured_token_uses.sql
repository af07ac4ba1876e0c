-- When was each token of the configuration last used, and from where? Also of tokens that are no longer configured.
SELECT sha256, last_used_at, last_used_from FROM configured_token_use ORDER BY sha256
