"""Classifies replies as refusals in the background when an older driftd stored them without a classification."""

import logging

from monitor.store.engine.database import Store
from monitor.store.maintenance import refusals

log = logging.getLogger(__name__)
CALLS_A_STEP = 10_000  # a write holds the write lock: about 0.2 s


class RefusalLoop:
    """Runs after an upgrade until every stored call is classified. It never counts as work, and ingest continues."""

    name = "refusals"

    def __init__(self, *, store: Store) -> None:
        self._store = store
        self._decided = 0
        self._done = False

    @property
    def poll_s(self) -> float:
        """Return the pause between steps, in seconds: half of the time is left to other writes."""
        return 3600.0 if self._done else 0.2

    def step(self) -> int:
        if self._done:
            return 0
        with self._store.write() as tx:
            filled = refusals.fill(tx, CALLS_A_STEP)
        self._decided += filled
        if not filled:
            self._done = True
            if self._decided:
                log.info("refusals are decided for %d calls that an older driftd stored", self._decided)
        return 0
