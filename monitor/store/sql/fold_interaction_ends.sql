-- Remove the earlier rows of the calls that were appended again. The time of receipt limits the rows that are read.
DELETE FROM interaction
USING (SELECT id, received_at, max(revision) AS revision FROM interaction_end GROUP BY ALL) AS ended
WHERE ended.id = interaction.id AND ended.received_at = interaction.received_at AND ended.revision > interaction.revision
