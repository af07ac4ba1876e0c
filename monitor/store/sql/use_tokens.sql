-- Store the last use of the tokens of the batch.
UPDATE api_token
SET last_used_at = batch.last_used_at, last_used_from = batch.last_used_from
FROM batch
WHERE api_token.id = batch.id AND (api_token.last_used_at IS NULL OR api_token.last_used_at < batch.last_used_at)
