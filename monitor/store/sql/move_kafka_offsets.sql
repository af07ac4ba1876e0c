-- Move the offsets that are where the batch started.
UPDATE kafka_offset
SET next_offset = batch.after, stored_at = batch."at"
FROM batch
WHERE kafka_offset.cluster_id = batch.cluster_id AND kafka_offset.topic_id = batch.topic_id
    AND kafka_offset."partition" = batch."partition" AND kafka_offset.next_offset = batch.before
