-- Store whether replies are refusals. The time window avoids reading every id of the table.
UPDATE interaction
SET refusal = batch.refusal
FROM batch
WHERE interaction.id = batch.id AND interaction.started_at = batch.started_at
    AND interaction.started_at BETWEEN $since AND $until
