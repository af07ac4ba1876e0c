"""Ends reads of the database that are no longer needed: the client left, or the daemon stops."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import duckdb


class Interruption:
    """The reads of one request. `interrupt` may be called from any thread, before, during and after them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # protects both: no read begins between the flag and the last cursor
        self._cursors: set[duckdb.DuckDBPyConnection] = set()
        self.asked = False

    @contextmanager
    def covers(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Interrupt the statements of the cursor while the block runs; InterruptException at once if it is too late."""
        with self._lock:
            if self.asked:
                raise duckdb.InterruptException("INTERRUPT Error: the request was given up")
            self._cursors.add(cursor)
        try:
            yield
        finally:
            with self._lock:
                self._cursors.discard(cursor)

    def interrupt(self) -> None:
        with self._lock:
            self.asked = True
            for cursor in self._cursors:
                cursor.interrupt()


class OpenReads:
    """Every read of a store that is in progress, and since when."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()  # protects the reads: a cursor is interrupted only while its block runs
        self._since: dict[duckdb.DuckDBPyConnection, float] = {}

    @contextmanager
    def covers(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Count the cursor as reading while the block runs."""
        with self._lock:
            self._since[cursor] = self._monotonic()
        try:
            yield
        finally:
            with self._lock:
                del self._since[cursor]

    def interrupt(self, older_than_s: float) -> int:
        """Interrupt the reads that have taken longer, and return their number."""
        with self._lock:
            long = [cursor for cursor, since in self._since.items() if self._monotonic() - since > older_than_s]
            for cursor in long:
                cursor.interrupt()
        return len(long)


CURRENT: Final[ContextVar[Interruption | None]] = ContextVar("interruption", default=None)
