"""Read a part of the partitions; the other members of the consumer group read the rest."""

import logging
from collections.abc import Mapping
from typing import Any, Final

from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.errors import KafkaError, NoOffsetForPartitionError
from kafka.structs import OffsetAndMetadata

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka.client import open_member
from monitor.ingest.kafka.cluster import Partition
from monitor.ingest.kafka.reader import KafkaReader

log = logging.getLogger(__name__)
NO_EPOCH: Final = -1  # of the leader, as the protocol has it


class SharedReader(KafkaReader):
    """The broker assigns the partitions. After a change it returns no records until `read_from` is called: the stored
    positions decide where to continue, not the offsets that the group committed.
    """

    def __init__(self, section: KafkaConfig) -> None:
        self._changes = _Changes()
        self._positions: set[TopicPartition] = set()
        super().__init__(section)
        self._consumer.subscribe(list(section.topics), listener=self._changes)

    def _open(self, section: KafkaConfig) -> KafkaConsumer:
        return open_member(section)

    @property
    def moved(self) -> bool:  # type: ignore[override]  # a reader of all partitions has a constant
        return self._changes.unseen

    def own(self, partitions: frozenset[Partition]) -> frozenset[Partition]:
        self._changes.unseen = False  # a change from here on is a later one
        assigned = self._consumer.assignment()
        return frozenset(partition for partition in partitions if partition.tp in assigned)

    def read_from(self, positions: Mapping[Partition, int]) -> None:
        """Read these partitions, as far as they are still assigned, and pause the other ones."""
        assigned = self._consumer.assignment()
        self._positions = {p.tp for p in positions} & assigned
        for partition, offset in positions.items():
            if partition.tp in assigned:
                self._seek(partition.tp, offset)
        self._resting = set(assigned - self._positions)
        self._consumer.pause(*self._resting)
        self._consumer.resume(*self._positions)
        self._paused = False

    def _seek(self, tp: TopicPartition, offset: int) -> None:
        try:
            self._consumer.seek(tp, offset)
        except (AssertionError, KafkaError):  # taken from this member a moment ago
            self._changes.unseen = True

    def poll(self, timeout_ms: int, room: int) -> dict[TopicPartition, list[Any]]:
        try:
            found = super().poll(timeout_ms, room)
        except NoOffsetForPartitionError:  # a new partition, which has no position yet
            self._changes.unseen = True
            return {}
        return {} if self.moved else {tp: records for tp, records in found.items() if tp in self._positions}

    def commit(self, offsets: Mapping[Partition, int]) -> None:
        """Commit offsets for other tools, without waiting. No member starts from them, so a failure loses nothing."""
        assigned = self._consumer.assignment()
        entries = {p.tp: OffsetAndMetadata(offset, "", NO_EPOCH) for p, offset in offsets.items() if p.tp in assigned}
        if entries:
            self._consumer.commit_async(entries)


class _Changes(ConsumerRebalanceListener):  # type: ignore[misc]  # kafka-python is not typed
    """Notes that the assignment changed. kafka-python calls it in a thread of its own."""

    def __init__(self) -> None:
        self.unseen = True

    def on_partitions_revoked(self, revoked: Any) -> None:
        self._note("gave up", revoked)

    def on_partitions_assigned(self, assigned: Any) -> None:
        self._note("received", assigned)

    def _note(self, what: str, partitions: Any) -> None:
        self.unseen = True
        if partitions:
            named = ", ".join(f"{topic} {number}" for topic, number in sorted(partitions))
            log.info("this member of the consumer group %s partitions: %s", what, named)
