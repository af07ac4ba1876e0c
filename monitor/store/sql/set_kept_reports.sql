-- Names the report that is kept in place of each of the batch's; NULL for one that is kept itself.
UPDATE interaction
SET duplicate_of = batch.kept
FROM batch
WHERE interaction.id = batch.id AND interaction.received_at >= $calls_since
