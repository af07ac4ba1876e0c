"""Stores the results of ended runs, so that pages do not wait for scores to be folded again."""

from monitor.clock import Clock
from monitor.jobs.after_writes import AfterWrites
from monitor.store.aggregates import settled_runs
from monitor.store.engine.database import Store

RUNS_A_STEP = 10  # a write holds the write lock: 0.1 s for ten runs of 1,000 cases


class SettleLoop:
    """Settles runs after their end, and after an upgrade all older runs. It never counts as work: what is not settled
    is computed from the scores.
    """

    name = "settle"

    def __init__(self, *, store: Store, clock: Clock) -> None:
        self._store = store
        self._after_writes = AfterWrites(store, clock)
        self._more = True

    @property
    def poll_s(self) -> float:
        """Return the pause between steps, in seconds. While runs are left, half of the time is left to other writes."""
        return 0.2 if self._more else 5.0

    def step(self) -> int:
        self._after_writes.run(self._settle)
        return 0

    def _settle(self) -> int:
        """Return how many runs may have been settled."""
        with self._store.read() as tx:
            self._more = settled_runs.any_unsettled(tx)
        if self._more:
            with self._store.write() as tx:
                settled_runs.settle(tx, RUNS_A_STEP)
        return RUNS_A_STEP if self._more else 0
