"""The records that a source has read and the writer has not stored, in order and limited by credit."""

from collections import deque
from concurrent.futures import wait
from dataclasses import dataclass

from monitor.errors import DiskReserveReached, IntakeFull
from monitor.ingest.intake import Batch, Intake, Receipt
from monitor.store.traffic.source_positions import OffsetMove

SHARE = 4  # a backlog may use a quarter of the intake, because other sources need it too


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    batch: Batch
    receipt: Receipt


class Backlog:
    """Batches on the way to the store. `credit` limits their rows in the intake; a larger batch is submitted alone.

    Batches are submitted in order, and each begins where the previous one ended. The store rejects every batch after a
    failed one, so the first receipt with an error shows the failure.
    """

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self.credit = max(1, intake.capacity // SHARE)
        self._held: deque[Batch] = deque()  # read, but not submitted for lack of credit
        self._sent: deque[Sent] = deque()

    @property
    def rows(self) -> int:
        """Rows of this source in the intake."""
        return sum(sent.batch.rows for sent in self._sent)

    @property
    def room(self) -> int:
        """Rows that may be read now; 0 without credit, and while the disk has no space for them."""
        return 0 if self._held or self.paused is not None else max(0, self.credit - self.rows)

    @property
    def paused(self) -> str | None:
        """Why nothing may be read now, because the disk has no space for it; None otherwise."""
        refusal = self._intake.refusal()
        return None if refusal is None else str(refusal)

    @property
    def is_empty(self) -> bool:
        return not self._held and not self._sent

    def add(self, batch: Batch) -> None:
        self._held.append(batch)

    def hand_over(self) -> None:
        """Submit batches up to the credit. A batch that the intake rejects stays for the next call."""
        while self._held and (not self._sent or self.rows + self._held[0].rows <= self.credit):
            try:
                receipt = self._intake.submit(self._held[0])
            except (IntakeFull, DiskReserveReached):
                return
            self._sent.append(Sent(batch=self._held.popleft(), receipt=receipt))

    def collect(self) -> list[OffsetMove]:
        """Return the offsets of batches stored since the last call. Raise the error of the next batch if it failed."""
        moves: list[OffsetMove] = []
        while self._sent and self._sent[0].receipt.future.done():
            if moves and self._sent[0].receipt.future.exception() is not None:
                return moves  # return the stored ones first; the next call raises
            sent = self._sent.popleft()
            sent.receipt.wait(0)
            moves += sent.batch.offsets
        return moves

    def settled_within(self, timeout_s: float) -> bool:
        """Return whether every submitted batch was stored or rejected within the time."""
        return not wait([sent.receipt.future for sent in self._sent], timeout=timeout_s).not_done

    def forget(self) -> None:
        """Drop all batches. Unstored records will be read again."""
        self._held.clear()
        self._sent.clear()
