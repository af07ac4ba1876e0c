-- At which offsets are the partitions of a cluster read on?
SELECT cluster_id, topic_id, "partition", topic, next_offset, stored_at
FROM kafka_offset
WHERE cluster_id = $cluster_id
ORDER BY topic, topic_id, "partition"
