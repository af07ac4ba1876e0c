-- Names the kept report in each other one of the same call, and in those that named one that is not kept any more.
UPDATE interaction
SET dup_of = batch.kept
FROM batch
WHERE coalesce(interaction.dup_of, interaction.id) = batch.id AND interaction.received_at >= $since
