"""The clients of one cluster: topics, offsets, and records."""

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaError

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka.client import open_admin, open_consumer
from monitor.ingest.kafka.cluster import Cluster, Partition, describe_cluster
from monitor.ingest.kafka.offsets import Bounds

log = logging.getLogger(__name__)
PAUSED_POLL_MS = 20
CLOSE_MS = 1_000


class KafkaReader:
    """Two connections, one for records and one for metadata. Every method except `close` raises KafkaError.

    This reader reads all partitions.
    """

    moved = False
    """Whether the partitions of this reader changed since the last `read_from`."""

    def __init__(self, section: KafkaConfig) -> None:
        self._section = section
        self._admin = open_admin(section)
        try:
            self._consumer = self._open(section)
        except KafkaError:
            self._admin.close()
            raise
        self._paused = False
        self._resting: set[TopicPartition] = set()

    def _open(self, section: KafkaConfig) -> KafkaConsumer:
        return open_consumer(section)

    @property
    def admin(self) -> KafkaAdminClient:
        return self._admin

    def describe_cluster(self) -> Cluster:
        return describe_cluster(self._admin, self._section.topics)

    def own(self, partitions: frozenset[Partition]) -> frozenset[Partition]:
        """Return those of the partitions that this reader reads."""
        return partitions

    def bounds(self, partitions: Iterable[Partition]) -> dict[Partition, Bounds]:
        found = list(partitions)
        first, ends = self._offsets(found, OffsetSpec.EARLIEST), self._offsets(found, OffsetSpec.LATEST)
        return {p: Bounds(first=first[p], end=ends[p]) for p in found}

    def ends(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Return the offset after the last record of each partition. Records of an open transaction
        count as pending.
        """
        return self._offsets(list(partitions), OffsetSpec.LATEST)

    def _offsets(self, partitions: list[Partition], spec: OffsetSpec) -> dict[Partition, int]:
        # The consumer's own request raises KeyError for a partition that is new to it, so the admin client requests the
        # offsets.
        found = self._admin.list_partition_offsets({p.tp: spec for p in partitions}) if partitions else {}
        return {p: found[p.tp].offset for p in partitions}

    def read_from(self, positions: Mapping[Partition, int]) -> None:
        """Assign exactly these partitions."""
        self._consumer.assign([p.tp for p in positions])
        for partition, offset in positions.items():
            self._consumer.seek(partition.tp, offset)
        self._paused = False
        self._resting.clear()

    def rest(self, partition: Partition) -> None:
        """Pause this partition."""
        self._resting.add(partition.tp)
        self._consumer.pause(partition.tp)

    def poll(self, timeout_ms: int, room: int) -> dict[TopicPartition, list[Any]]:
        """Return at most `room` records. With no room the partitions are paused and the connection stays alive."""
        self._pause(paused=room == 0)
        if room == 0:
            return dict(self._consumer.poll(timeout_ms=min(timeout_ms, PAUSED_POLL_MS), max_records=1))
        most = min(room, self._section.poll_max_records)
        return dict(self._consumer.poll(timeout_ms=timeout_ms, max_records=most))

    def position(self, partition: Partition) -> int | None:
        """Return the next offset to fetch. It is after transaction markers, which are not records."""
        offset: int | None = self._consumer.position(partition.tp, timeout_ms=PAUSED_POLL_MS)
        return offset

    def close(self) -> None:
        for client in (self._consumer, self._admin):
            try:
                if client is self._consumer:
                    client.close(autocommit=False, timeout_ms=CLOSE_MS)
                else:
                    client.close()
            except (KafkaError, OSError) as error:
                log.debug("closing a Kafka client: %s", error)

    def _pause(self, *, paused: bool) -> None:
        if paused == self._paused:
            return
        change = self._consumer.pause if paused else self._consumer.resume
        change(*(self._consumer.assignment() - self._resting))
        self._paused = paused
