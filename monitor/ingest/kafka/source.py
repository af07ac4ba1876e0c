"""Read the topics of one cluster into the intake. The stored offsets decide where to continue, so each record is stored
once.
"""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

from kafka import TopicPartition
from kafka.errors import KafkaError, LogTruncationError, OffsetOutOfRangeError

from monitor.clock import Clock
from monitor.config.kafka import KafkaConfig
from monitor.errors import OffsetConflict, Retryable, SourceStopped, SourceUnavailable, StoreUnavailable
from monitor.ingest.intake import Batch, Intake
from monitor.ingest.kafka.backlog import Backlog
from monitor.ingest.kafka.client import why
from monitor.ingest.kafka.cluster import Partition
from monitor.ingest.kafka.condition import Condition
from monitor.ingest.kafka.consumer_group import Group, GroupConflict, new_claim
from monitor.ingest.kafka.offsets import Lost, loss_reason, positions
from monitor.ingest.kafka.poll_batch import PollDecoder
from monitor.ingest.kafka.positions import ConsumerPosition
from monitor.ingest.kafka.reader import KafkaReader
from monitor.ingest.kafka.records import SOURCE
from monitor.ingest.kafka.shared_group import Membership, SharedGroup
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.store.engine.database import Store
from monitor.store.traffic import source_positions as kafka_offsets
from monitor.telemetry import NO_TELEMETRY, GaugeValue, Recorder

log = logging.getLogger(__name__)
POLL_MS = 200
SETTLE_S = 1.0  # how long one step waits for the writer
STOPPED_POLL_S = 0.5


class KafkaSource:
    """A loop of the supervisor. `step` handles one poll as one batch.

    It keeps no offsets after an error: it continues at the end of the stored rows.
    """

    def __init__(
        self,
        name: str,
        section: KafkaConfig,
        *,
        store: Store,
        intake: Intake,
        normalizer: Normalizer,
        clock: Clock,
        limits: Limits,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        """A store of several processes shares the partitions among them; one process with a file reads all."""
        self.name = f"kafka-{name}"
        self.source, self.section = name, section
        self.condition = Condition(name, section)
        self._store, self._intake, self._normalizer, self._clock = store, intake, normalizer, clock
        self._telemetry = telemetry
        self._taking = PollDecoder(name, section, normalizer, limits=limits, telemetry=telemetry)
        self._backlog = Backlog(intake)
        self._reader: KafkaReader | None = None
        self._group: Membership = (
            SharedGroup(section) if store.shared else Group(name, section, new_claim(store, clock, section))
        )
        self._place = ConsumerPosition()
        self._next_refresh_s = 0.0

    @property
    def poll_s(self) -> float:
        """0: a poll waits for records itself."""
        return 0.0 if self.condition.stopped is None else STOPPED_POLL_S

    @property
    def state(self) -> str:
        """Status text, as the loops have it."""
        state = self.condition.state(self._place.cluster)
        paused = self._backlog.paused if state == "reading" else None
        return state if paused is None else f"paused: {paused}"

    @property
    def progressing(self) -> bool:
        """Whether it reads; False after a start until the first lag is known."""
        return self.condition.stopped is None and self._place.cluster is not None and bool(self.condition.lags.lags)

    @property
    def recovered(self) -> str:
        return f"{self.name} reads again"

    def trouble(self) -> str | None:
        """Return the problem that a person must know."""
        return self.condition.trouble(self._clock.monotonic())

    def lag_values(self) -> list[GaugeValue]:
        return self.condition.lag_values()

    def stalled_value(self) -> GaugeValue:
        return self.condition.stalled_value()

    def step(self) -> int:
        """Return the number of records read. SourceUnavailable and StoreUnavailable are retried; a stopped source logs
        the reason.
        """
        try:
            return self._read() if self.condition.stopped is None else self._monitor()
        except SourceStopped as error:
            self._stop(str(error))
        except KafkaError as error:
            self._disconnect()
            servers = ", ".join(self.section.bootstrap_servers)
            reason = f"Kafka source {self.source!r}: {servers}: {why(error)}"
            self.condition.note_unavailable(reason, self._clock.monotonic())
            raise SourceUnavailable(reason) from error
        except GroupConflict as error:
            self._place.forget()
            self.condition.note_taken(str(error) if error.alive else None, self._clock.monotonic())
            raise
        except SourceUnavailable as error:
            self._place.forget()
            self.condition.note_unavailable(str(error), self._clock.monotonic())
            raise
        except Retryable:
            self._place.forget()
            raise
        return 0

    def close(self) -> None:
        """After the writer has ended, commit the final stored offsets to the group."""
        if self._reader is None:
            return
        try:
            self._collect()
            self._group.leave(self._reader.admin, self._place.stored_to)
        except (KafkaError, Retryable, SourceStopped) as error:
            log.debug("closing %s: %s", self.name, error)
        self._disconnect()

    def _read(self) -> int:
        reader, now_s = self._connected(), self._clock.monotonic()
        self._group.admit(reader.admin, now_s)
        if self._group.is_due(now_s):
            self._group.beat(reader.admin, self._place.stored_to, now_s)
        if self._place.cluster is None or reader.moved:
            self._find_place(reader)
        self._collect()
        if self._clock.monotonic() >= self._next_refresh_s:
            self._refresh(reader)
        self._backlog.hand_over()
        try:
            found = reader.poll(POLL_MS, self._backlog.room)
        except (OffsetOutOfRangeError, LogTruncationError) as error:
            log.warning("Kafka source %r: %s; computing the read position again", self.source, why(error))
            self._place.forget()
            return 0
        return self._take(reader, found) if found else 0

    def _take(self, reader: KafkaReader, found: Mapping[TopicPartition, Sequence[Any]]) -> int:
        now = self._clock.now()
        halts: dict[Partition, str] = {}
        for piece in self._taking.pieces(found, self._place.partition, most_rows=self._backlog.credit, now=now):
            self._backlog.add(piece.gathered.batch(self._place.read(piece.ends, now)))
            halts |= piece.halts
        self._backlog.hand_over()
        for partition, reason in halts.items():
            self._halt(partition, reason)
            reader.rest(partition)
        return sum(map(len, found.values()))

    def _halt(self, partition: Partition, reason: str) -> None:
        """Stop reading this partition, or the whole source if so configured."""
        if self.section.stop_scope == "source":
            raise SourceStopped(reason)
        if partition not in self.condition.halts:
            log.error("%s", reason)
            self.condition.halts[partition] = reason

    def _collect(self) -> None:
        try:
            self._place.stored(self._backlog.collect())
        except OffsetConflict as error:
            if self._store.shared:
                raise self._taken_over(error) from error
            raise SourceStopped(
                f"Kafka source {self.source!r} stopped: {error}. Another program stores offsets of this topic: let "
                "only one source read it, and restart driftd"
            ) from error
        except Retryable:
            raise
        except Exception as error:
            raise SourceStopped(
                f"Kafka source {self.source!r} stopped: its records cannot be stored ({type(error).__name__}: "
                f"{error}); see the log of driftd. Restart driftd to try again"
            ) from error

    def _taken_over(self, error: OffsetConflict) -> StoreUnavailable:
        """Return the error after which this source continues at the stored positions: another process read the
        partition, because this one was slow, or frozen, and was taken for dead.
        """
        self._telemetry.count("driftd.kafka.taken_over", 1, {"source": self.source})
        return StoreUnavailable(f"Kafka source {self.source!r} computes its read positions again: {error}")

    def _find_place(self, reader: KafkaReader) -> None:
        """Find the end of the stored rows for every current partition, and decide about new and lost ones."""
        if not self._backlog.settled_within(SETTLE_S):
            raise StoreUnavailable(f"Kafka source {self.source!r}: the writer has not stored all read records yet")
        self._backlog.forget()
        cluster = reader.describe_cluster()
        mine = reader.own(cluster.partitions)
        with self._store.read() as tx:
            stored = kafka_offsets.of_cluster(tx, cluster.id)
        found = positions(stored, reader.bounds(mine), start=self.section.start)
        self.condition.note_available(cluster, self._clock.monotonic())
        self._place.update(cluster, found)
        if self.section.on_data_loss == "stop":
            for lost in found.lost:
                self._halt(lost.partition, loss_reason(self.source, lost))
        found = found.without(self.condition.halts)
        moves = self._place.begun(cluster, found, self._clock.now())
        self._store_now(Batch(offsets=tuple(moves), dead_letters=tuple(map(self._lost_letter, found.lost))))
        reader.read_from(self._place.begin(cluster, found))
        log.info(
            "Kafka source %r reads %d of %d partitions of cluster %s, %d of them for the first time",
            *(self.source, len(mine), len(cluster.partitions), cluster.id, len(moves)),
        )
        self._next_refresh_s = 0.0

    def _store_now(self, batch: Batch) -> None:
        try:
            self._intake.submit(batch, wait_s=SETTLE_S).wait(SETTLE_S * 10)
        except TimeoutError:
            raise StoreUnavailable(f"Kafka source {self.source!r}: its offsets are not stored yet") from None
        except OffsetConflict as error:
            if not self._store.shared:
                raise
            raise self._taken_over(error) from error

    def _refresh(self, reader: KafkaReader) -> None:
        """Check for new partitions, for lag, and for other readers in the group."""
        self._next_refresh_s = self._clock.monotonic() + self.section.refresh_s
        cluster = reader.describe_cluster()
        self.condition.note_available(cluster, self._clock.monotonic())
        if self._place.cluster is not None and cluster != self._place.cluster:
            self._find_place(reader)
        self._measure(reader)
        self._group.beat(reader.admin, self._place.stored_to, self._clock.monotonic())

    def _measure(self, reader: KafkaReader) -> None:
        offsets = dict(self._place.stored_to)
        if self._backlog.is_empty and self.condition.stopped is None:
            read = [p for p in offsets if p not in self.condition.halts]
            offsets |= {p: at for p in read if (at := reader.position(p)) is not None}
        for lag in self.condition.check_lag(offsets, reader.ends(offsets), self._clock.monotonic()):
            log.warning(
                "Kafka source %r: %s has stalled: %d records wait, none was stored for %.0f s",
                *(self.source, lag.partition, lag.records, lag.still_s),
            )

    def _monitor(self) -> int:
        """After a stop, keep measuring the lag, so that people can see how much is waiting."""
        self._backlog.hand_over()
        if self._clock.monotonic() >= self._next_refresh_s:
            self._next_refresh_s = self._clock.monotonic() + self.section.refresh_s
            self._collect()
            self._measure(self._connected())
        return 0

    def _stop(self, reason: str) -> None:
        log.error("%s", reason)
        self.condition.stopped, self._next_refresh_s = reason, 0.0
        if self._reader is not None:
            self._group.leave(self._reader.admin, self._place.stored_to)  # another reader may take over
        self._disconnect()  # drop fetched records that are not read

    def _connected(self) -> KafkaReader:
        if self._reader is None:
            self._reader = self._group.open()
        return self._reader

    def _disconnect(self) -> None:
        self._place.forget()
        if self._reader is not None:
            self._reader.close()
            self._reader = None

    def _lost_letter(self, lost: Lost) -> Any:
        self._telemetry.count("driftd.kafka.lost", lost.records, {"source": self.source})
        log.warning("Kafka source %r continues after lost records: %s", self.source, lost)
        return self._normalizer.dead_letter(
            source=SOURCE, code="lost", reason=str(lost), raw=b"", now=self._clock.now()
        )
