"""What one poll brought, decoded in one pass: pieces that fit the credit, each with where its partitions end."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kafka import TopicPartition

from monitor.config.kafka import KafkaConfig
from monitor.errors import SourceStopped
from monitor.ingest import kafka_poison
from monitor.ingest.kafka_cluster import Partition
from monitor.ingest.kafka_poison import PoisonLimit
from monitor.ingest.kafka_records import Gathered, RecordReader
from monitor.ingest.limits import Limits
from monitor.ingest.pipeline import Normaliser
from monitor.telemetry import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """`ends`: behind the last record that is in it, for each partition that has one."""

    gathered: Gathered
    ends: Mapping[Partition, int]


class Taking:
    """Knows how each topic is read, and how many of its last records could not be."""

    def __init__(
        self, name: str, section: KafkaConfig, normaliser: Normaliser, *, limits: Limits, telemetry: Recorder
    ) -> None:
        self._name, self._normaliser, self._telemetry = name, normaliser, telemetry
        self._readers = {t: RecordReader(s, normaliser, limits=limits) for t, s in section.topics.items()}
        self._poison = {topic: PoisonLimit(section.poison_limit) for topic in section.topics}

    def pieces(
        self,
        found: Mapping[TopicPartition, Sequence[Any]],
        partition_of: Callable[[TopicPartition], Partition],
        *,
        most_rows: int,
        now: datetime,
    ) -> Iterator[Piece]:
        """One piece, more when it has more rows than that. SourceStopped when too many records cannot be read."""
        gathered, ends = Gathered(normaliser=self._normaliser), dict[Partition, int]()
        for tp, records in found.items():
            partition, reader, poison = partition_of(tp), self._readers[tp.topic], self._poison[tp.topic]
            for record in records:
                place = f"topic {tp.topic} partition {tp.partition} offset {record.offset}"
                good = reader.read(record.value, place, gathered, now)
                if poison.is_exceeded_by(bad=not good):
                    last = gathered.letters[-1].reason
                    raise SourceStopped(kafka_poison.told(self._name, tp.topic, poison, last))
                ends[partition] = record.offset + 1
                if gathered.rows >= most_rows:
                    yield Piece(gathered=gathered, ends=ends)
                    gathered, ends = Gathered(normaliser=self._normaliser), {}
            self._telemetry.count("driftd.kafka.records", len(records), {"source": self._name, "topic": tp.topic})
        if ends:
            yield Piece(gathered=gathered, ends=ends)
