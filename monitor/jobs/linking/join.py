"""Joins late data to its call: texts, attributes of the spans around it, and a second report of the same call."""

from collections.abc import Callable
from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.domain.interaction import Interaction
from monitor.jobs.linking.duplicates import GRACE, DuplicateStep
from monitor.jobs.linking.stream_notes import join_notes
from monitor.store.engine.database import Store
from monitor.store.traffic import duplicates, span_context
from monitor.store.traffic.late_texts import join_content

# The longest expected time between the timestamp of a record and its commit. A compaction can delay the commit.
MARGIN = timedelta(minutes=1)
PAIR_EVERY = timedelta(seconds=10)  # for duplicates: rare, and searched among all calls of the grace period


class JoinStep:
    """The join part of the link loop. A step skips rows that an earlier step has processed; the first step reads the
    whole grace period.
    """

    def __init__(self, store: Store, clock: Clock, identify: Callable[[Interaction], str | None]) -> None:
        self._store, self._clock, self._identify = store, clock, identify
        self._same_calls = DuplicateStep(store, identify)
        self._newest: datetime | None = None
        self._paired: datetime | None = None

    def step(self) -> int:
        """Run one step, and return the number of calls that changed."""
        now = self._clock.now()
        since = now - GRACE if self._newest is None else self._newest - MARGIN
        with self._store.read() as tx:
            new = span_context.arrived(tx, since=since, waiting_since=now - GRACE)
            window = {"since": since, "calls_since": now - GRACE}
            fills = span_context.find(tx, **window) if new.calls or new.spans else []
            changed = self._same_calls.changed_traces(tx, now, since) if new.calls or new.links or new.texts else {}
        handled = 0
        if fills or new.texts or (new.calls and new.waiting):
            with self._store.write() as tx:
                handled = join_content(tx, now, GRACE.total_seconds(), identify=self._identify)
                handled += span_context.fill(tx, fills, identify=self._identify)
        if changed:
            handled += self._same_calls.join(changed, now)
        if new.calls:  # after the traces: a decision by the span tree has priority over one by texts
            handled += self._mark_duplicates(now)
        self._newest = now
        return handled

    def _mark_duplicates(self, now: datetime) -> int:
        """Mark the reports of one call in different traces."""
        if self._paired is not None and now - self._paired < PAIR_EVERY:
            return 0
        since = now - GRACE if self._paired is None else self._paired - MARGIN
        self._paired = now
        joined = join_notes(self._store, now, self._identify)
        with self._store.read() as tx:
            found = duplicates.find(tx, since=since, calls_since=now - GRACE)
        if not found:
            return joined
        with self._store.write() as tx:
            return joined + duplicates.mark(tx, found, since=now - 2 * GRACE)
