-- Insert the partitions of the batch that have no position yet.
INSERT INTO kafka_offset BY NAME
SELECT cluster_id, topic_id, "partition", topic, after AS next_offset, "at" AS stored_at
FROM batch
ANTI JOIN kafka_offset AS known USING (cluster_id, topic_id, "partition")
WHERE before IS NULL
