-- Names the kept report in each other one of the same call, and in those that named one that is not kept any more.
UPDATE interaction
SET duplicate_of = batch.kept
FROM batch
WHERE coalesce(interaction.duplicate_of, interaction.id) = batch.id AND interaction.received_at >= $since
