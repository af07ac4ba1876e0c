"""Removes rows beyond their limits, and compacts the file so that their bytes are gone too."""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from monitor.clock import Clock
from monitor.domain.compaction import Compaction, CompactionKind
from monitor.domain.policy import RetentionPolicy
from monitor.domain.run import new_id
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.maintenance import compactions, fold, retention


class CompactionReason(StrEnum):
    REQUESTED = "requested"
    SHARE = "enough rows were removed"
    DELAY = "what was removed has stayed in the file long enough"


def compaction_due(
    orders: Sequence[Compaction], stored_rows: int, policy: RetentionPolicy, now: datetime
) -> CompactionReason | None:
    """Return why the open orders require a compaction now; None when they can wait.

    An erasure and a request by a person never wait. Rows that retention removed wait until their share of all rows
    justifies a copy, or until the first of them is too old.
    """
    if not orders:
        return None
    if any(order.kind is not CompactionKind.RETENTION for order in orders):
        return CompactionReason.REQUESTED
    removed = sum(order.removed_rows for order in orders)
    if removed >= policy.compact_share * (removed + stored_rows):
        return CompactionReason.SHARE
    if now - min(order.at for order in orders) >= timedelta(seconds=policy.compact_delay_s):
        return CompactionReason.DELAY
    return None


log = logging.getLogger(__name__)


class RetentionLoop:
    """Removes expired rows, then executes the orders to compact the file: its own and those of erasures. A killed
    compaction runs again. In a lake, the orders wait for its maintenance.
    """

    name = "retention"
    poll_s = 60.0

    def __init__(self, *, store: Store, policy: RetentionPolicy, clock: Clock) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._checked_at: datetime | None = None

    def step(self) -> int:
        now = self._clock.now()
        return self._expire(now) + self.compact_when_due()

    def compact_when_due(self) -> int:
        """Compact the file when it is due. Return 1 when the file was compacted."""
        now, file = self._clock.now(), self._store
        if not isinstance(file, FileStore):
            return 0
        with self._store.read() as tx:
            orders = compactions.open_orders(tx)
            stored = retention.stored_rows(tx) if orders else 0
        why = compaction_due(orders, stored, self._policy, now)
        if why is None:
            return 0
        before, started = file.path.stat().st_size, self._clock.monotonic()
        log.info("compacting %s (%.1f MiB): %s; writes wait only at its end", file.path, before / 2**20, why)
        with file.write() as tx:
            fold.fold(tx)  # a retracted signal must not be in the new file
        file.compact(lambda tx: compactions.finish(tx, self._clock.now()))
        took_s = self._clock.monotonic() - started
        after = file.path.stat().st_size
        log.info("compacted in %.1f s: %.1f MiB to %.1f MiB", took_s, before / 2**20, after / 2**20)
        return 1

    def _expire(self, now: datetime) -> int:
        if self._checked_at is not None and now - self._checked_at < timedelta(seconds=self._policy.check_s):
            return 0
        with self._store.write() as tx:
            removed = retention.expire(tx, self._policy, now)
            if removed:
                order = Compaction(
                    id=new_id("compaction", now),
                    kind=CompactionKind.RETENTION,
                    at=now,
                    who="retention",
                    removed=removed,
                )
                compactions.insert(tx, order)
        self._checked_at = now
        if removed:
            log.info("removed beyond their limits: %s", ", ".join(f"{n} of {table}" for table, n in removed.items()))
        return sum(removed.values())
