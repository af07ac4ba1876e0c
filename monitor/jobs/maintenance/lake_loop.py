"""Maintains the files of a lake, so that removed rows are gone from the disk."""

import logging
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from socket import gethostname
from typing import Final

from monitor.clock import Clock
from monitor.domain.compaction import Compaction
from monitor.store.engine.database import Store
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.lease import Lease
from monitor.store.lake.maintain import LONGEST, maintain_files, rewrite_control_tables
from monitor.store.maintenance import compactions

log = logging.getLogger(__name__)
MERGE_EVERY: Final = timedelta(hours=1)
MAINTAIN: Final = "maintain"
SEEN_S: Final = 180.0  # since a process of that role was seen: it reports every minute
PASSES: Final = 64  # that are remembered: more than fit into three times the longest transaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """The time of one maintenance of the files."""

    began: datetime
    ended: datetime


class LakeLoop:
    """Maintains the files each hour, and at once after an order of an erasure or of retention.

    An order is done when no file has the removed rows any more: their file is written again, its snapshot expires after
    the longest transaction, and the old file is removed after another one. Then no transaction reads the removed rows
    of control tables either, and these tables are written again. A table in use is tried again at each step.
    """

    name = "lake"
    poll_s = 60.0

    def __init__(
        self, *, store: LakeStore, lease: Lease, clock: Clock, first: bool = False, longest: timedelta = LONGEST
    ) -> None:
        """`longest` is the time of the longest transaction. Only a process that is `first`, of the role `maintain`,
        works while there is one.
        """
        self._first = first
        self._lake, self._lease, self._clock, self._longest = store, lease, clock, longest
        self._store: Store = store.under(lease)
        self._passes: deque[Pass] = deque(maxlen=PASSES)
        self._unwritten: dict[str, set[str]] = {}  # control tables to write again, by the id of an order

    def step(self) -> int:
        if self._first:
            self._lake.call("see_worker", self._lake.session, MAINTAIN, gethostname())
        elif self._lake.call("count_workers", MAINTAIN, SEEN_S):
            return 0
        now = self._clock.now()
        with self._store.read() as tx:
            orders = compactions.open_orders(tx)
        if self._is_due(orders, now):
            self._maintain(orders, now)
        if self._unwritten:
            self._write_control_tables(now)
        return 0

    def _is_due(self, orders: Sequence[Compaction], now: datetime) -> bool:
        if not self._passes or now - self._passes[-1].began >= MERGE_EVERY:
            return True
        return any(order.at >= self._passes[-1].began for order in orders)

    def _maintain(self, orders: Sequence[Compaction], now: datetime) -> None:
        done = maintain_files(self._lake, self._lease, now, every_removed_row=bool(orders), longest=self._longest)
        log.info(
            "maintained the files of the lake: %d merged, %d written again, %d removed",
            done.merged,
            done.rewritten,
            done.removed,
        )
        self._passes.append(Pass(began=now, ended=self._clock.now()))
        for order in orders:
            if order.id not in self._unwritten and is_gone(order.at, self._passes, self._longest):
                self._unwritten[order.id] = self._control_tables(order)

    def _write_control_tables(self, now: datetime) -> None:
        """Write control tables again, and finish the orders of which none is left."""
        in_use = set(rewrite_control_tables(self._lake, set().union(*self._unwritten.values())))
        left = {id_: tables & in_use for id_, tables in self._unwritten.items()}
        if in_use:
            log.info("tables in use are written again in a minute: %s", ", ".join(sorted(in_use)))
        if finished := [id_ for id_, tables in left.items() if not tables]:
            with self._store.write() as tx:
                compactions.finish_some(tx, finished, now)
        self._unwritten = {id_: tables for id_, tables in left.items() if tables}

    def _control_tables(self, order: Compaction) -> set[str]:
        """Return the control tables with rows that the order removed. A compaction of everything names none."""
        control = set(self._lake.table_names()) - LARGE
        return control.intersection(order.removed) if order.removed else control


def is_gone(removed_at: datetime, passes: Iterable[Pass], longest: timedelta) -> bool:
    """Return whether no file has rows that were removed at a time. `passes` are in order of time.

    >>> from datetime import UTC
    >>> hours = [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(4)]
    >>> passes = [Pass(began=at, ended=at) for at in hours]
    >>> [is_gone(hours[0], passes[:n], timedelta(hours=1)) for n in (3, 4)]
    [False, True]
    """
    ordered = list(passes)
    rewritten = next((each for each in ordered if each.began > removed_at), None)
    if rewritten is None:
        return False
    expired = next((each for each in ordered if each.began >= rewritten.ended + longest), None)
    return expired is not None and any(each.began >= expired.ended + longest for each in ordered)
