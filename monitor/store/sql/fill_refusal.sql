-- Store whether replies are refusals.
-- The time window avoids reading every id of the table. The times are compared as numbers: DuckDB 1.5.5 passes a
-- condition on a time to the Arrow batch, and needs pytz for it.
UPDATE interaction
SET refusal = batch.refusal
FROM batch
WHERE interaction.id = batch.id AND epoch_us(interaction.started_at) = epoch_us(batch.started_at)
    AND interaction.started_at BETWEEN $since AND $until
