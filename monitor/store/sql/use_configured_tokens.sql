-- Store the last use of the configured tokens of the batch. A later use that is stored already stays.
MERGE INTO configured_token_use AS known
USING batch ON known.sha256 = batch.sha256
WHEN MATCHED AND known.last_used_at < batch.last_used_at
    THEN UPDATE SET last_used_at = batch.last_used_at, last_used_from = batch.last_used_from
WHEN NOT MATCHED
    THEN INSERT (sha256, last_used_at, last_used_from) VALUES (batch.sha256, batch.last_used_at, batch.last_used_from)
