-- Begin with the partitions of the batch that nobody has read before.
INSERT INTO kafka_offset BY NAME
SELECT cluster_id, topic_id, "partition", topic, after AS next_offset, "at" AS stored_at
FROM batch
ANTI JOIN kafka_offset AS known USING (cluster_id, topic_id, "partition")
WHERE before IS NULL
