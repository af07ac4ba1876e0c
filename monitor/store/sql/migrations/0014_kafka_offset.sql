-- Where each Kafka partition is read on from. A topic that was deleted and made again has another id, and is another topic.

CREATE TABLE kafka_offset (
    cluster_id VARCHAR NOT NULL, topic_id VARCHAR NOT NULL, "partition" BIGINT NOT NULL, topic VARCHAR NOT NULL,
    next_offset BIGINT NOT NULL, stored_at TIMESTAMPTZ NOT NULL
);
