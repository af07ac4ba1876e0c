"""Decode the records of one poll into chunks that fit the credit, each with the end offsets of its partitions."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kafka import TopicPartition

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka import health as kafka_poison
from monitor.ingest.kafka.cluster import Partition
from monitor.ingest.kafka.health import PoisonLimit
from monitor.ingest.kafka.records import RecordBatch, RecordReader
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.telemetry import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """`ends` has the offset after the last record of each partition in the chunk. `halts` has the partitions to stop,
    with the reason: the chunk contains their dead letters, and their records will be read again.
    """

    gathered: RecordBatch
    ends: Mapping[Partition, int]
    halts: Mapping[Partition, str]


class PollDecoder:
    """Decodes each topic in its format, and counts the unreadable records of each partition."""

    def __init__(
        self, name: str, section: KafkaConfig, normalizer: Normalizer, *, limits: Limits, telemetry: Recorder
    ) -> None:
        self._name, self._section, self._normalizer, self._telemetry = name, section, normalizer, telemetry
        self._readers = {t: RecordReader(s, normalizer, limits=limits) for t, s in section.topics.items()}
        self._poison: dict[Partition, PoisonLimit] = {}

    def pieces(
        self,
        found: Mapping[TopicPartition, Sequence[Any]],
        partition_of: Callable[[TopicPartition], Partition],
        *,
        most_rows: int,
        now: datetime,
    ) -> Iterator[Chunk]:
        """Yield one chunk, or several when there are more rows than `most_rows`."""
        gathered, ends, halts = self._gathered(), dict[Partition, int](), dict[Partition, str]()
        for tp, records in found.items():
            partition, reader = partition_of(tp), self._readers[tp.topic]
            begun, resume_at = gathered.mark(), records[0].offset
            poison = self._poison.setdefault(partition, PoisonLimit(self._section.max_unreadable))
            for record in records:
                place = f"{partition} offset {record.offset}"
                good = reader.read(record.value, place, gathered, now)
                if poison.is_exceeded_by(bad=not good):
                    last = gathered.letters[-1].reason
                    halts[partition] = kafka_poison.halt_reason(self._name, partition, poison, last, resume_at)
                    gathered.keep_letters_since(begun)
                    ends.pop(partition, None)
                    break
                ends[partition] = record.offset + 1
                if gathered.rows >= most_rows:
                    yield Chunk(gathered=gathered, ends=ends, halts=halts)
                    gathered, ends, halts = self._gathered(), {}, {}
                    begun, resume_at = gathered.mark(), record.offset + 1
            self._telemetry.count("driftd.kafka.records", len(records), {"source": self._name, "topic": tp.topic})
        if ends or halts:
            yield Chunk(gathered=gathered, ends=ends, halts=halts)

    def _gathered(self) -> RecordBatch:
        return RecordBatch(normalizer=self._normalizer)
