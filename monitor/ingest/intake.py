"""The bounded queue between the sources and the writer. A receipt resolves after the commit of its batch."""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Final, Self

from opentelemetry.trace import SpanContext

from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import InheritedAttributes, Interaction, SpanContent
from monitor.domain.span_link import SpanLink
from monitor.errors import DiskReserveReached, IntakeFull, StoreUnavailable
from monitor.ingest.batch_weight import (
    LINK_BYTES,
    ROW_BYTES,
    bytes_of_calls,
    bytes_of_content,
    bytes_of_feedback,
    bytes_of_span_context,
)
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.store.traffic.file_positions import FileMove
from monitor.store.traffic.source_positions import OffsetMove
from monitor.telemetry import current_span_context

MAX_BYTES = 128 * 1024 * 1024  # of queued texts; the writer needs the same amount again for the columns
COMMIT_BYTES = 32 * 1024 * 1024  # of texts in one commit of several batches
GATHER_STEPS = 5  # stop waiting for more batches when none arrives for this fraction of the gather time


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Rows from one sender, stored together or not at all."""

    interactions: tuple[Interaction, ...] = ()
    feedback: tuple[Feedback, ...] = ()
    contents: tuple[SpanContent, ...] = ()
    span_contexts: tuple[InheritedAttributes, ...] = ()
    links: tuple[SpanLink, ...] = ()
    dead_letters: tuple[DeadLetter, ...] = ()
    offsets: tuple[OffsetMove, ...] = ()  # read positions, stored in the same transaction
    files: tuple[FileMove, ...] = ()  # the same for files
    withdrawn_feedback: tuple[str, ...] = ()  # ids of feedback

    @property
    def rows(self) -> int:
        """The number of rows of all kinds."""
        found = len(self.interactions) + len(self.feedback) + len(self.contents) + len(self.dead_letters)
        found += len(self.span_contexts) + len(self.links)
        return found + len(self.offsets) + len(self.files) + len(self.withdrawn_feedback)

    @property
    def deployments(self) -> set[str]:
        """The deployments of its calls, its feedback and its spans."""
        return {
            *(row.deployment for row in self.interactions),
            *(row.deployment for row in self.feedback if row.deployment is not None),
            *(row.deployment for row in self.span_contexts),
        }

    def text_bytes(self) -> int:
        """Return the approximate size of its texts in bytes."""
        return (
            bytes_of_calls(self.interactions)
            + sum(map(bytes_of_content, self.contents))
            + sum(map(bytes_of_feedback, self.feedback))
            + sum(map(bytes_of_span_context, self.span_contexts))
            + LINK_BYTES * len(self.links)
            + sum(ROW_BYTES + len(letter.raw) for letter in self.dead_letters)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How many interactions and feedback of a batch were new, and how many were stored already."""

    accepted: int
    duplicates: int


class Receipt:
    """Resolves to `Counts` after the commit, or fails with the error of the write.

    `future` is for async callers (`asyncio.wrap_future`). It cannot be cancelled: when a sender disconnects, its rows
    are written anyway.
    """

    def __init__(self) -> None:
        self.future: Future[Counts] = Future()
        self.future.set_running_or_notify_cancel()

    def wait(self, timeout: float | None = None) -> Counts:
        return self.future.result(timeout)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """A batch that is submitted and not yet written."""

    batch: Batch
    receipt: Receipt
    submitted: float  # monotonic seconds
    origin: SpanContext  # the request it came with, for telemetry
    bytes_: int  # approximate: see batch_weight
    limit: DeploymentLimit | None = None  # of the sender


def no_refusal() -> None:
    """Return no error: the disk has space."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyCommit:
    """The numbers of rows with which a commit does not wait for more: `quiet` when no batch is being decoded, and
    `busy` while some are. None: it always waits.
    """

    quiet: int | None = None
    busy: int | None = None


NOT_EARLY: Final = EarlyCommit()


class Coming:
    """A batch that is being decoded, until the end of the block. The first end counts."""

    def __init__(self, intake: "Intake") -> None:
        self._intake = intake

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._intake.came(self)


class Intake:
    """A queue of at most `max_rows` rows and `max_bytes` of text, including the batches that the writer is writing.

    An empty queue accepts one batch above these limits. The sender limits the size of a batch, and a rejected batch
    would be sent again forever. `refusal` returns an error while the disk has no space for new rows.
    """

    def __init__(
        self,
        max_rows: int,
        *,
        max_bytes: int = MAX_BYTES,
        commit_bytes: int = COMMIT_BYTES,
        refusal: Callable[[], DiskReserveReached | None] = no_refusal,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.capacity = max_rows
        self._max_bytes = max_bytes
        self._commit_bytes = commit_bytes
        self.refusal = refusal
        self._monotonic = monotonic
        self._changed = threading.Condition()  # protects everything below
        self._waiting: deque[Pending] = deque()
        self._waiting_rows = self._waiting_bytes = 0
        self._rows = self._bytes = 0
        self._submitted: dict[int, float] = {}  # by identity of each batch that is not settled, the oldest first
        self._coming: set[Coming] = set()  # batches that are being decoded
        self._closed = False

    @property
    def rows(self) -> int:
        """Rows submitted and not yet settled."""
        with self._changed:
            return self._rows

    @property
    def oldest_s(self) -> float:
        """Return the age of the oldest batch that is not settled, in seconds; 0 without one."""
        with self._changed:
            submitted = next(iter(self._submitted.values()), None)
        return 0.0 if submitted is None else self._monotonic() - submitted

    def require_space(self) -> None:
        """Raise DiskReserveReached while the disk has no space for new rows. Callers ask before they decode a body."""
        if (refusal := self.refusal()) is not None:
            raise refusal

    def submit(self, batch: Batch, *, wait_s: float = 0.0) -> Receipt:
        """Queue the batch. Raise IntakeFull when it does not fit within `wait_s`, DiskReserveReached while the disk has
        no space for it, StoreUnavailable after `close`, and Forbidden when the sender is limited to other deployments.
        """
        if (limit := CURRENT_LIMIT.get()) is not None:
            limit.require(batch.deployments)
        if batch.rows:
            self.require_space()
        receipt, weight = Receipt(), batch.text_bytes()
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._fits(batch, weight), timeout=wait_s)
            if self._closed:
                raise StoreUnavailable("driftd is stopping and accepts no more records; send them again later")
            if batch.rows == 0:
                receipt.future.set_result(Counts(accepted=0, duplicates=0))
                return receipt
            if not self._fits(batch, weight):
                raise IntakeFull(
                    f"the intake has {self._rows} of {self.capacity} rows and {self._bytes} of {self._max_bytes} "
                    "bytes; send the batch again in a moment"
                )
            pending = Pending(
                batch=batch,
                receipt=receipt,
                submitted=self._monotonic(),
                origin=current_span_context(),
                bytes_=weight,
                limit=limit,
            )
            self._waiting.append(pending)
            self._submitted[id(pending)] = pending.submitted
            self._waiting_rows += batch.rows
            self._waiting_bytes += weight
            self._rows += batch.rows
            self._bytes += weight
            self._changed.notify_all()
        return receipt

    def coming(self) -> Coming:
        """Announce a batch that is being decoded, so that a commit waits for it."""
        coming = Coming(self)
        with self._changed:
            self._coming.add(coming)
        return coming

    def came(self, coming: Coming) -> None:
        """Remove an announced batch, which is submitted or does not come."""
        with self._changed:
            self._coming.discard(coming)
            self._changed.notify_all()

    def take(self, max_rows: int, *, wait_s: float, gather_s: float, early: EarlyCommit = NOT_EARLY) -> list[Pending]:
        """Return the next batches for one commit, oldest first: at least one, with at most `max_rows` rows if possible.

        Wait up to `wait_s` for the first batch. Then wait until the first is `gather_s` old, or `max_rows` rows or
        those of `early` are queued. While no batch is being decoded, wait at most a fifth of `gather_s` for another,
        because a single sender sends no other. Return an empty list if no batch is queued. After `close`, return the
        queued batches without waiting.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed, timeout=wait_s)
            if not self._waiting:
                return []
            self._gather(max_rows, gather_s, early)
            return self._pop(max_rows)

    def settle(self, batches: list[Pending]) -> None:
        """Remove written batches from the row count."""
        with self._changed:
            self._rows -= sum(p.batch.rows for p in batches)
            self._bytes -= sum(p.bytes_ for p in batches)
            for pending in batches:
                self._submitted.pop(id(pending), None)
            self._changed.notify_all()

    def age_s(self, pending: Pending) -> float:
        """Return the seconds since the batch was submitted."""
        return self._monotonic() - pending.submitted

    def close(self) -> None:
        """Reject new batches. The writer can still take the queued ones."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def wait_until_empty(self, timeout_s: float) -> bool:
        """Return whether every submitted row was settled within the time."""
        with self._changed:
            return self._changed.wait_for(lambda: self._rows == 0, timeout=timeout_s)

    def _fits(self, batch: Batch, weight: int) -> bool:
        fits = self._rows + batch.rows <= self.capacity and self._bytes + weight <= self._max_bytes
        return self._rows == 0 or fits

    def _gather(self, max_rows: int, gather_s: float, early: EarlyCommit) -> None:
        until = self._waiting[0].submitted + gather_s
        while not self._has_enough(max_rows, early) and (left_s := until - self._monotonic()) > 0:
            if not self._wait_for_batch(left_s if self._coming else min(left_s, gather_s / GATHER_STEPS)):
                return

    def _wait_for_batch(self, timeout_s: float) -> bool:
        """Return whether a batch arrived, or the last announced one was removed."""
        count, coming = len(self._waiting), bool(self._coming)
        return self._changed.wait_for(
            lambda: len(self._waiting) > count or self._closed or (coming and not self._coming), timeout=timeout_s
        )

    def _has_enough(self, max_rows: int, early: EarlyCommit) -> bool:
        enough = early.busy if self._coming else early.quiet
        rows = max_rows if enough is None else min(enough, max_rows)
        return self._closed or self._waiting_rows >= rows or self._waiting_bytes >= self._commit_bytes

    def _pop(self, max_rows: int) -> list[Pending]:
        taken = [self._waiting.popleft()]
        rows, weight = taken[0].batch.rows, taken[0].bytes_
        while self._waiting and rows + (next_ := self._waiting[0]).batch.rows <= max_rows:
            if weight + next_.bytes_ > self._commit_bytes:
                break
            rows, weight = rows + next_.batch.rows, weight + next_.bytes_
            taken.append(self._waiting.popleft())
        self._waiting_rows -= rows
        self._waiting_bytes -= weight
        return taken
