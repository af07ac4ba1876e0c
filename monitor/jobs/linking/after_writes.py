"""Skips a search of the whole store while nothing was written."""

from collections.abc import Callable
from typing import Final

from monitor.clock import Clock
from monitor.store.engine.database import Store

LONGEST_S: Final = 60.0  # what depends on the time, and not on a write, is searched this often


class AfterWrites:
    """Runs a search when it may find something: after a write of this process, the only writer, or after LONGEST_S."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._searched: tuple[int, float] | None = None  # the writes before a search that found nothing, and its time

    def run(self, search: Callable[[], int]) -> int:
        """Search if it is due, and return the number of rows that were found."""
        if not self._is_due():
            return 0
        writes = self._store.writes
        found = search()
        self._searched = None if found else (writes, self._clock.monotonic())
        return found

    def _is_due(self) -> bool:
        if self._searched is None:
            return True
        writes, at_s = self._searched
        return self._store.writes != writes or self._clock.monotonic() - at_s >= LONGEST_S
