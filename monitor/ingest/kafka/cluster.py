"""The topics and partitions of a cluster, with ids that outlive names."""

from collections.abc import Iterable
from dataclasses import dataclass

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import NoError, UnknownTopicOrPartitionError, for_code

from monitor.errors import SourceUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One partition of one topic. A deleted topic that is created again has a new id."""

    topic_id: str
    topic: str
    number: int

    @property
    def tp(self) -> TopicPartition:
        return TopicPartition(self.topic, self.number)

    def __str__(self) -> str:
        return f"topic {self.topic} partition {self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """A snapshot of a cluster. `offline` partitions have no leader and cannot be read. `missing` are requested topics
    that do not exist.
    """

    id: str
    partitions: frozenset[Partition]
    offline: frozenset[Partition]
    missing: tuple[str, ...]


def describe_cluster(admin: KafkaAdminClient, topics: Iterable[str]) -> Cluster:
    """Return the current topics. Raise KafkaError when no broker answers, SourceUnavailable when one rejects the
    request.
    """
    found: dict[Partition, bool] = {}  # whether it has a leader
    missing: list[str] = []
    for topic in admin.describe_topics(list(topics)):
        name, error = topic["name"], for_code(topic["error_code"])
        if error is UnknownTopicOrPartitionError:
            missing.append(name)
        elif error is not NoError:
            raise SourceUnavailable(f"topic {name} cannot be read: {error.__name__}; check the permissions of the user")
        else:
            topic_id = str(topic.get("topic_id") or name)  # brokers older than 2.8 have no ids
            for one in topic["partitions"]:
                partition = Partition(topic_id=topic_id, topic=name, number=one["partition_index"])
                found[partition] = one["leader_id"] >= 0
    cluster_id = str(admin.describe_cluster()["cluster_id"])
    return Cluster(
        id=cluster_id,
        partitions=frozenset(partition for partition, led in found.items() if led),
        offline=frozenset(partition for partition, led in found.items() if not led),
        missing=tuple(sorted(missing)),
    )
