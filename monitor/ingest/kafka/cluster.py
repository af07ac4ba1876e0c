"""What a cluster says of itself and its topics: ids that outlive names, and partitions."""

from collections.abc import Iterable
from dataclasses import dataclass

from kafka import KafkaAdminClient, TopicPartition
from kafka.errors import NoError, UnknownTopicOrPartitionError, for_code

from monitor.errors import SourceUnavailable


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """One partition of one topic, made once: a topic of the same name that is made later has another id."""

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
    """`offline` have no leader now and cannot be read; `missing` are the topics asked for that are not there."""

    id: str
    partitions: frozenset[Partition]
    offline: frozenset[Partition]
    missing: tuple[str, ...]


def look(admin: KafkaAdminClient, topics: Iterable[str]) -> Cluster:
    """The topics as they are now. Raises KafkaError when no broker answers, SourceUnavailable when one refuses."""
    found: dict[Partition, bool] = {}  # whether it has a leader
    missing: list[str] = []
    for topic in admin.describe_topics(list(topics)):
        name, error = topic["name"], for_code(topic["error_code"])
        if error is UnknownTopicOrPartitionError:
            missing.append(name)
        elif error is not NoError:
            raise SourceUnavailable(f"topic {name} cannot be read: {error.__name__}; see what the user may do there")
        else:
            topic_id = str(topic.get("topic_id") or name)  # brokers older than 2.8 know no ids
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
