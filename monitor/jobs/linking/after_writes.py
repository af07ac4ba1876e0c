"""Skips a search of the whole store while nothing was written."""

from typing import Final

from monitor.clock import Clock
from monitor.store.engine.database import Store

LONGEST_S: Final = 60.0  # what depends on the time, and not on a write, is searched this often


class AfterWrites:
    """Whether a search may find something: after a write of this process, the only writer, or after LONGEST_S."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._searched: tuple[int, float] | None = None  # the writes before a search that found nothing, and its time

    def due(self) -> bool:
        if self._searched is None:
            return True
        writes, at_s = self._searched
        return self._store.writes != writes or self._clock.monotonic() - at_s >= LONGEST_S

    def searched(self, writes: int, found: int) -> None:
        """Note the end of a search: the number of writes before it began, and the number of rows it found."""
        self._searched = None if found else (writes, self._clock.monotonic())
