"""A Kafka source with a real store, intake and writer. The test runs its steps, so nothing happens in between."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.config.kafka import KafkaConfig
from monitor.errors import Retryable
from monitor.ingest.kafka.source import KafkaSource
from monitor.ingest.limits import Limits
from monitor.store.traffic import source_positions as kafka_offsets
from monitor.telemetry import NO_TELEMETRY, Recorder
from tests.ingest.build import native
from tests.ingest.kafka.broker import Broker
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline

PATIENCE_S = 30.0
MAX_BYTES = 1024 * 1024
LIMITS = Limits(plain_bytes=MAX_BYTES)


def call(number: int, **fields: Any) -> bytes:
    return json.dumps(native(id=f"call-{number:06}", **fields)).encode()


def calls(*numbers: int) -> list[bytes]:
    return [call(number) for number in numbers]


@dataclass(slots=True, kw_only=True)
class Reading:
    pipeline: IngestPipeline
    source: KafkaSource
    failure: str = ""  # why the last step must be retried

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Run steps until the condition is true, and retry failed steps."""
        until = time.monotonic() + PATIENCE_S
        while not done():
            assert time.monotonic() < until, f"not within {PATIENCE_S:.0f} s: {what}; {self.source.state}"
            self.try_step()

    def try_step(self) -> None:
        try:
            self.source.step()
        except Retryable as error:
            self.failure = str(error)
            time.sleep(0.05)
        else:
            self.failure = ""

    def until_rows(self, count: int) -> None:
        self.until(lambda: len(self.ids()) >= count, f"{count} rows")

    def until_stopped(self) -> str:
        self.until(lambda: self.source.state.startswith("stopped: "), "the source stops")
        return self.source.state.removeprefix("stopped: ")

    def ids(self) -> list[str]:
        return sorted(row.id for row in self.pipeline.rows())

    def stored_to(self, topic: str, partition: int = 0) -> int | None:
        return self.offsets().get((topic, partition))

    def offsets(self) -> dict[tuple[str, int], int]:
        """Return the stored offsets by topic and partition of the current topics."""
        cluster = self.source._place.cluster
        if cluster is None:
            return {}
        with self.pipeline.store.read() as tx:
            stored = kafka_offsets.of_cluster(tx, cluster.id)
        there = {partition.topic_id for partition in cluster.partitions}
        return {(o.topic, o.partition): o.next_offset for o in stored if o.topic_id in there}


def section(broker: Broker, *topics: str, **settings: Any) -> KafkaConfig:
    named: dict[str, Any] = {topic: {} for topic in topics}
    made: dict[str, Any] = {"bootstrap_servers": [broker.bootstrap], "topics": named, "refresh_s": 0.2}
    return KafkaConfig.model_validate(made | settings)


def source(
    pipeline: IngestPipeline, of: KafkaConfig, *, limits: Limits = LIMITS, telemetry: Recorder = NO_TELEMETRY
) -> KafkaSource:
    return KafkaSource(
        "calls",
        of,
        store=pipeline.store,
        intake=pipeline.intake,
        normalizer=pipeline.normalizer,
        clock=pipeline.clock,
        limits=limits,
        telemetry=telemetry,
    )


@contextmanager
def reading(folder: Path, of: KafkaConfig, *, max_rows: int = 20_000, limits: Limits = LIMITS) -> Iterator[Reading]:
    with ingest_pipeline(folder, max_rows=max_rows) as pipeline:
        made = Reading(pipeline=pipeline, source=source(pipeline, of, limits=limits))
        try:
            yield made
        finally:
            pipeline.intake.wait_until_empty(10)
            made.source.close()
