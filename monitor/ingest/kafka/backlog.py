"""What a source has read and the writer has not stored: bounded by credit, in the order it was read."""

from collections import deque
from concurrent.futures import wait
from dataclasses import dataclass

from monitor.errors import IntakeFull
from monitor.ingest.intake import Batch, Intake, Receipt
from monitor.store.traffic.source_positions import OffsetMove

SHARE = 4  # a backlog may hold one part in four of the intake: others send as well


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    batch: Batch
    receipt: Receipt


class Backlog:
    """Batches on their way. `credit` is the number of rows the intake may hold of them; one that is larger goes alone.

    Batches are handed over in order, and each begins where the one before it ended: the store refuses what follows a
    batch that failed, so a failure is found by the first receipt that has one.
    """

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self.credit = max(1, intake.capacity // SHARE)
        self._held: deque[Batch] = deque()  # read, and without credit
        self._sent: deque[Sent] = deque()

    @property
    def rows(self) -> int:
        """Rows the intake holds of this source."""
        return sum(sent.batch.rows for sent in self._sent)

    @property
    def room(self) -> int:
        """Rows that may be read now; 0 is out of credit."""
        return 0 if self._held else max(0, self.credit - self.rows)

    @property
    def is_empty(self) -> bool:
        return not self._held and not self._sent

    def add(self, batch: Batch) -> None:
        self._held.append(batch)

    def hand_over(self) -> None:
        """Submit what there is credit for; what the intake has no room for is held until the next time."""
        while self._held and (not self._sent or self.rows + self._held[0].rows <= self.credit):
            try:
                receipt = self._intake.submit(self._held[0])
            except IntakeFull:
                return
            self._sent.append(Sent(batch=self._held.popleft(), receipt=receipt))

    def collect(self) -> list[OffsetMove]:
        """The moves of the batches that were stored since the last time; raises what kept the next one out."""
        moves: list[OffsetMove] = []
        while self._sent and self._sent[0].receipt.future.done():
            if moves and self._sent[0].receipt.future.exception() is not None:
                return moves  # first what was stored; the next call raises
            sent = self._sent.popleft()
            sent.receipt.wait(0)
            moves += sent.batch.offsets
        return moves

    def settled_within(self, timeout_s: float) -> bool:
        """Whether every batch handed over was stored or refused within the time."""
        return not wait([sent.receipt.future for sent in self._sent], timeout=timeout_s).not_done

    def forget(self) -> None:
        """Begin anew: what is not stored will be read again."""
        self._held.clear()
        self._sent.clear()
