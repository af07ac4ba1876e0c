-- Store the last use of the configured tokens of the batch. A later use that is stored already stays.
INSERT INTO configured_token_use (sha256, last_used_at, last_used_from)
SELECT sha256, last_used_at, last_used_from FROM batch
ON CONFLICT (sha256) DO UPDATE SET last_used_at = excluded.last_used_at, last_used_from = excluded.last_used_from
WHERE last_used_at < excluded.last_used_at
