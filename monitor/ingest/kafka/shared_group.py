"""Membership in the consumer group of a source: of one reader, or of several that share the partitions."""

from collections.abc import Mapping
from typing import Final, Protocol

from kafka import KafkaAdminClient

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka.cluster import Partition
from monitor.ingest.kafka.reader import KafkaReader
from monitor.ingest.kafka.shared_reader import SharedReader

COMMIT_S: Final = 10.0


class Membership(Protocol):
    """How a source belongs to its group. `open` may be called again after an error. Times are monotonic seconds."""

    def open(self) -> KafkaReader:
        """Connect. Raises KafkaError."""
        ...

    def admit(self, admin: KafkaAdminClient, now_s: float, /) -> None:
        """Raise GroupConflict while this source must not read."""
        ...

    def is_due(self, now_s: float, /) -> bool:
        """Return whether `beat` must be called now."""
        ...

    def beat(self, admin: KafkaAdminClient, offsets: Mapping[Partition, int], now_s: float, /) -> None:
        """Commit the stored offsets to the group, for other tools."""
        ...

    def leave(self, admin: KafkaAdminClient, offsets: Mapping[Partition, int], /) -> None:
        """Commit the last offsets."""
        ...


class SharedGroup:
    """One of several readers. The broker gives each partition to one of them, and the store refuses the rows of a
    reader that lost a partition and did not notice it.
    """

    def __init__(self, section: KafkaConfig) -> None:
        self._section = section
        self._reader: SharedReader | None = None
        self._next_commit_s = 0.0

    def open(self) -> KafkaReader:
        self._reader = SharedReader(self._section)
        return self._reader

    def admit(self, _admin: KafkaAdminClient, _now_s: float) -> None:
        pass

    def is_due(self, now_s: float) -> bool:
        return now_s >= self._next_commit_s

    def beat(self, admin: KafkaAdminClient, offsets: Mapping[Partition, int], now_s: float) -> None:
        self._next_commit_s = now_s + COMMIT_S
        self.leave(admin, offsets)

    def leave(self, _admin: KafkaAdminClient, offsets: Mapping[Partition, int]) -> None:
        if self._reader is not None:
            self._reader.commit(offsets)
