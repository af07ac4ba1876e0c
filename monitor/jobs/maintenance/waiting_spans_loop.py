"""Removes what waited in vain for a call."""

from monitor.clock import Clock
from monitor.jobs.linking.duplicates import GRACE
from monitor.jobs.linking.join import MARGIN
from monitor.store.engine.database import Store
from monitor.store.maintenance import waiting_spans


class WaitingSpansLoop:
    """Removes the contexts and links of spans that the link loop no longer reads. It never counts as work."""

    name = "waiting_spans"
    poll_s = 60.0

    def __init__(self, *, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    def step(self) -> int:
        with self._store.write() as tx:
            waiting_spans.remove_before(tx, self._clock.now() - GRACE - MARGIN)
        return 0
