"""The only writer of ingested rows: it commits many batches at once and then resolves their receipts."""

import logging
import threading
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import islice
from typing import Any

from monitor.clock import Clock
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.errors import OffsetConflict, StoreUnavailable
from monitor.ingest.intake import NOT_EARLY, Batch, Counts, EarlyCommit, Intake, Pending
from monitor.ingest.normalize.unread_counts import UnreadCounts, unread_in
from monitor.store.engine.database import Store, Tx
from monitor.store.traffic import dead_letters, feedback, file_positions, interactions
from monitor.store.traffic import source_positions as kafka_offsets
from monitor.store.traffic.span_context import insert_span_contexts
from monitor.store.traffic.trace_calls import insert_links
from monitor.telemetry import NO_TELEMETRY, Recorder, call_context

CALLS_LINKED = 32  # the SDK keeps 128 links of a span


def group_commit(telemetry: Recorder, taken: Sequence[Pending]) -> AbstractContextManager[Any]:
    """Return a span for the transaction, with links to the sampled requests and to calls in it; no span without any
    such request.
    """
    requests = [p.origin for p in taken if p.origin.trace_flags.sampled]
    if not requests:
        return nullcontext()
    calls = (item for p in taken for item in p.batch.interactions)
    contexts = (call_context(item.trace_id, item.span_id) for item in islice(calls, CALLS_LINKED))
    links = [*requests, *filter(None, contexts)]
    attributes = {"driftd.batches": len(taken), "driftd.rows": sum(p.batch.rows for p in taken)}
    return telemetry.span("ingest.group_commit", attributes, links=links)


def record_commit_metrics(
    telemetry: Recorder,
    taken: Sequence[Pending],
    counts: Sequence[Counts],
    unread: UnreadCounts,
    *,
    waited_s: Iterable[float],
    took_s: float,
) -> None:
    """Record the metrics of a commit. `waited_s`: seconds each batch has waited; `took_s`: seconds of the commit."""
    telemetry.count("driftd.ingest.batches", len(taken), {"result": "committed"})
    telemetry.count("driftd.ingest.accepted", sum(c.accepted for c in counts))
    telemetry.count("driftd.ingest.duplicates", sum(c.duplicates for c in counts))
    telemetry.record("driftd.ingest.commit.duration", took_s)
    for one_s in waited_s:
        telemetry.record("driftd.ingest.receipt.duration", one_s)
    if ahead := sum(item.clock_ahead_s is not None for p in taken for item in p.batch.interactions):
        telemetry.count("driftd.ingest.clock_ahead", ahead)
    names = unread_in(item for p in taken for item in p.batch.interactions)
    unread.add(names)
    for attribute, number in names.items():
        telemetry.count("driftd.ingest.unread", number, {"attribute": attribute})
    letters = Counter((letter.source, letter.code) for p in taken for letter in p.batch.dead_letters)
    for (source, code), number in letters.items():
        telemetry.count("driftd.ingest.dead_letters", number, {"source": source, "code": code})


def record_failure_metrics(telemetry: Recorder, batches: int) -> None:
    telemetry.count("driftd.ingest.batches", batches, {"result": "failed"})


log = logging.getLogger(__name__)
IDLE_S = 0.5  # how often an idle writer checks `stop`; closing the intake wakes it at once
SLOW_COMMIT_S = 2.0


class _DuplicatesFound(Exception):
    """Rolls back a merged insert with duplicates, because each receipt must count its own."""


class Writer:
    """Group commit by size and delay. A failed commit fails only its own receipts."""

    name = "writer"

    def __init__(
        self,
        store: Store,
        intake: Intake,
        clock: Clock,
        *,
        max_batch_rows: int = 1000,
        max_delay_s: float = 0.1,
        early: EarlyCommit = NOT_EARLY,
        telemetry: Recorder = NO_TELEMETRY,
        unread: UnreadCounts | None = None,
    ) -> None:
        self._store = store
        self._intake = intake
        self._clock = clock
        self._max_rows = max_batch_rows
        self._max_delay_s = max_delay_s
        self._early = early
        self._telemetry = telemetry
        for result in ("committed", "failed"):  # a rate needs the zero before the first count
            telemetry.count("driftd.ingest.batches", 0, {"result": result})
        self._unread = unread or UnreadCounts(clock)
        self._unavailable: StoreUnavailable | None = None  # the error of the last write, while the store is unavailable

    @property
    def state(self) -> str:
        """Return the state as text, as the loops do."""
        if self._unavailable is not None:
            return f"retrying: {self._unavailable}"
        return "waiting: the database file is being compacted; rows are queued" if self._store.compacting else "writing"

    def run(self, stop: threading.Event) -> None:
        """Write until `stop` is set. Then reject new batches, write the queued ones and return."""
        while not stop.is_set():
            self._write_next(wait_s=IDLE_S, gather_s=self._max_delay_s)
        self.drain()

    def drain(self) -> int:
        """Close the intake, write all queued batches, and return the number of rows."""
        self._intake.close()
        written = 0
        while rows := self.step():
            written += rows
        return written

    def step(self) -> int:
        """Write the queued batches of at most one commit without waiting, and return the number of rows."""
        return self._write_next(wait_s=0.0, gather_s=0.0)

    def _write_next(self, *, wait_s: float, gather_s: float) -> int:
        taken = self._intake.take(self._max_rows, wait_s=wait_s, gather_s=gather_s, early=self._early)
        if taken:
            self._write(taken)
        elif self._unavailable is not None:
            self._probe_store()
        return sum(p.batch.rows for p in taken)

    def _write(self, taken: list[Pending]) -> None:
        started = self._clock.monotonic()
        try:
            with group_commit(self._telemetry, taken):
                counts = self._commit(taken)
        except StoreUnavailable as error:
            self._set_unavailable(error)
            self._fail(taken, error)
        except Exception as error:  # noqa: BLE001  one bad batch must not fail the others in its commit
            self._after_failure(taken, error)
        else:
            self._set_unavailable(None)
            self._resolve(taken, counts, self._clock.monotonic() - started)
        if (took_s := self._clock.monotonic() - started) > SLOW_COMMIT_S:
            log.warning("writing %d batches took %.1f s", len(taken), took_s)

    def _probe_store(self) -> None:
        """Check whether the store accepts writes again.

        A daemon that is not ready gets no records, so no write would show that the store is available.
        """
        try:
            self._store.probe()
        except StoreUnavailable as error:
            self._set_unavailable(error)
        else:
            self._set_unavailable(None)

    def _set_unavailable(self, error: StoreUnavailable | None) -> None:
        """Log when the store becomes unavailable and when it is available again, once each."""
        if error is not None and self._unavailable is None:
            log.warning("the store is unavailable, so no rows are acknowledged: %s; senders must retry", error)
        if error is None and self._unavailable is not None:
            log.info("the store is available again")
        self._unavailable = error

    def _after_failure(self, taken: list[Pending], error: Exception) -> None:
        if len(taken) > 1:
            for pending in taken:
                self._write([pending])
            return
        if isinstance(error, OffsetConflict) and self._store.shared:
            log.info("a batch of %d rows is not stored: another process stored its records", taken[0].batch.rows)
        else:
            log.error("cannot store a batch of %d rows", taken[0].batch.rows, exc_info=error)
        self._fail(taken, error)

    def _commit(self, taken: Sequence[Pending]) -> list[Counts]:
        if len(taken) > 1:
            try:
                return self._commit_merged(taken)
            except _DuplicatesFound:
                log.debug("duplicates in %d batches: counting each batch separately", len(taken))
        with self._store.append() as tx:
            return [_insert(tx, p.batch, p.limit) for p in taken]

    def _commit_merged(self, taken: Sequence[Pending]) -> list[Counts]:
        """Insert all batches of senders with the same limit with one statement for each table.

        The counts of each batch are known only when there is no duplicate.
        """
        groups: dict[DeploymentLimit | None, list[Batch]] = {}
        for pending in taken:
            groups.setdefault(pending.limit, []).append(pending.batch)
        with self._store.append() as tx:
            if any(_insert(tx, _merged(batches), limit).duplicates for limit, batches in groups.items()):
                raise _DuplicatesFound
        return [Counts(accepted=len(p.batch.interactions) + len(p.batch.feedback), duplicates=0) for p in taken]

    def _resolve(self, taken: list[Pending], counts: Sequence[Counts], took_s: float) -> None:
        waited_s = [self._intake.age_s(pending) for pending in taken]
        record_commit_metrics(self._telemetry, taken, counts, self._unread, waited_s=waited_s, took_s=took_s)
        self._intake.settle(taken)
        for pending, count in zip(taken, counts, strict=True):
            pending.receipt.future.set_result(count)

    def _fail(self, taken: list[Pending], error: Exception) -> None:
        record_failure_metrics(self._telemetry, len(taken))
        self._intake.settle(taken)
        for pending in taken:
            pending.receipt.future.set_exception(error)


def _insert(tx: Tx, batch: Batch, limit: DeploymentLimit | None) -> Counts:
    accepted = duplicates = 0
    limited_to = None if limit is None else limit.text
    if batch.interactions:
        inserted = interactions.insert(tx, batch.interactions, limited_to)
        accepted, duplicates = inserted.accepted, inserted.duplicates
    if batch.feedback:
        inserted = feedback.insert(tx, batch.feedback, limit)
        accepted, duplicates = accepted + inserted.accepted, duplicates + inserted.duplicates
    if batch.contents:
        interactions.insert_content(tx, batch.contents, limited_to)
    if batch.span_contexts:
        insert_span_contexts(tx, batch.span_contexts, limited_to)
    if batch.links:
        insert_links(tx, batch.links, limited_to)
    if batch.dead_letters:
        dead_letters.insert(tx, batch.dead_letters)
    if batch.offsets:
        kafka_offsets.move(tx, batch.offsets)
    if batch.files:
        file_positions.move(tx, batch.files)
    if batch.withdrawn_feedback:
        with tx.within(limit):
            feedback.retract(tx, batch.withdrawn_feedback)
    return Counts(accepted=accepted, duplicates=duplicates)


def _merged(batches: Sequence[Batch]) -> Batch:
    return Batch(
        interactions=tuple(row for b in batches for row in b.interactions),
        feedback=tuple(row for b in batches for row in b.feedback),
        contents=tuple(row for b in batches for row in b.contents),
        span_contexts=tuple(row for b in batches for row in b.span_contexts),
        links=tuple(row for b in batches for row in b.links),
        dead_letters=tuple(row for b in batches for row in b.dead_letters),
        offsets=tuple(one for b in batches for one in b.offsets),
        files=tuple(one for b in batches for one in b.files),
        withdrawn_feedback=tuple(one for b in batches for one in b.withdrawn_feedback),
    )
