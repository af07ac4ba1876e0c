-- Set the kept report of each duplicate, and of the duplicates of a report that is no longer kept.
UPDATE interaction
SET duplicate_of = batch.kept
FROM batch
WHERE coalesce(interaction.duplicate_of, interaction.id) = batch.id AND interaction.received_at >= $since
