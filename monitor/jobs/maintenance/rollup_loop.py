"""Stores the counts of past days, so that pages do not count every call again."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from monitor.clock import Clock
from monitor.domain.policy import Policy
from monitor.jobs.after_writes import AfterWrites
from monitor.store.aggregates import settled_days
from monitor.store.aggregates.settled_days import DayPrices, midnight, prices_of
from monitor.store.engine.database import Store
from monitor.store.maintenance import refusals

GRACE: Final = timedelta(minutes=10)  # after the end of a day, for calls on their way; later ones settle it again
MOST_DAYS: Final = 800  # older days are counted from their calls
EXTENT_EVERY: Final = timedelta(minutes=10)  # how often older calls and other deployments are searched
IDLE_S: Final = 10.0
SHARE: Final = 1.0  # a pause is this many times as long as the step before it: half of the time is left to other writes


class RollupLoop:
    """Settles each day after its end, the newest first, and again after late rows. It never counts as work: a day that
    is not settled is counted from its calls.
    """

    name = "rollups"

    def __init__(self, *, store: Store, policy: Policy, clock: Clock) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._after_writes = AfterWrites(store, clock)
        self._extent: Mapping[str, date] = {}
        self._searched_at: datetime | None = None
        self.poll_s = IDLE_S

    def step(self) -> int:
        """Settle one day of all deployments."""
        self._after_writes.run(self._settle)
        return 0

    def _settle(self) -> int:
        """Return how many deployments had the day."""
        now = self._clock.now().astimezone(UTC)
        began_s = self._clock.monotonic()
        last = (now - GRACE).date() - timedelta(days=1)
        missing = self._missing(now, last)
        if not missing:
            self.poll_s = IDLE_S
            return 0
        day = missing[0][1]
        with self._store.write() as tx:
            settled_days.settle(tx, day, [self._prices(name) for name, _ in missing])
        self.poll_s = max(0.2, SHARE * (self._clock.monotonic() - began_s))
        return len(missing)

    def _missing(self, now: datetime, last: date) -> Sequence[tuple[str, date]]:
        """Return the deployments that lack the newest day that is not settled, each with this day."""
        with self._store.read() as tx:
            if self._searched_at is None or now - self._searched_at >= EXTENT_EVERY:
                oldest = midnight(last - timedelta(days=MOST_DAYS))
                self._extent = settled_days.first_days(tx, oldest, midnight(last + timedelta(days=1)))
                self._searched_at = now
            if not self._extent:
                return []
            names = self._policy.deployments.keys() | self._extent.keys()
            first = min(self._extent.values())
            found = settled_days.newest_missing(tx, [self._prices(name) for name in sorted(names)], first, last)
            return [] if found and refusals.any_unclassified(tx) else found

    def _prices(self, deployment: str) -> DayPrices:
        policy = self._policy.deployments.get(deployment)
        return prices_of(deployment, policy.production if policy else None)
