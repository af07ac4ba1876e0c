"""Skips a search of the store while nothing that it reads was written."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from monitor.clock import Clock
from monitor.store.engine.database import Store
from monitor.store.engine.used_tables import recorded_statements, tables_read

LONGEST_S: Final = 60.0  # what depends on the time, and not on a write, is searched this often


@dataclass(frozen=True, slots=True, kw_only=True)
class _Searched:
    """A search that found nothing: the tables that it read, with the writes before it, and its time."""

    tables: Collection[str]
    written: Mapping[str, int]
    monotonic_s: float
    at: datetime


class AfterWrites:
    """Runs a search when it may find something: after a write to a table that the last search read, or after
    `longest_s` seconds.

    A search reads the store with named statements, and nothing else that changes within `longest_s`.
    """

    def __init__(self, store: Store, clock: Clock, *, longest_s: float = LONGEST_S) -> None:
        self._store, self._clock, self._longest_s = store, clock, longest_s
        self._searched: _Searched | None = None

    def run(self, search: Callable[[], int]) -> int:
        """Search if it is due, and return the number of rows that were found."""
        if not self._is_due():
            return 0
        written, monotonic_s, at = self._store.written, self._clock.monotonic(), self._clock.now()
        with recorded_statements() as statements:
            found = search()
        self._searched = (
            None
            if found
            else _Searched(tables=tables_read(statements), written=written, monotonic_s=monotonic_s, at=at)
        )
        return found

    def _is_due(self) -> bool:
        last = self._searched
        if last is None or self._clock.monotonic() - last.monotonic_s >= self._longest_s:
            return True
        if abs((self._clock.now() - last.at).total_seconds()) >= self._longest_s:  # the system clock was set
            return True
        written = self._store.written
        return any(written.get(table) != last.written.get(table) for table in last.tables)
