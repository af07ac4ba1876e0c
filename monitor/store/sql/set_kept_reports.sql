-- Set the kept report of each report of the batch; NULL for a report that is kept.
UPDATE interaction
SET duplicate_of = batch.kept
FROM batch
WHERE interaction.id = batch.id AND interaction.received_at >= $calls_since
