"""Interrupts database reads that are no longer needed: the client disconnected, or the daemon stops."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

import duckdb


class Interruption:
    """The reads of one request. Any thread may call `interrupt`, before, during and after the reads."""

    def __init__(self) -> None:
        self._lock = (
            threading.Lock()
        )  # protects both fields: no read starts between setting the flag and interrupting the cursors
        self._cursors: set[duckdb.DuckDBPyConnection] = set()
        self.requested = False

    @contextmanager
    def covers(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        """Make the statements of the cursor interruptible during the block. Raises InterruptException when it was
        interrupted.
        """
        with self._lock:
            if self.requested:
                raise duckdb.InterruptException("INTERRUPT Error: the request was cancelled")
            self._cursors.add(cursor)
        try:
            yield
        finally:
            with self._lock:
                self._cursors.discard(cursor)

    def interrupt(self) -> None:
        with self._lock:
            self.requested = True
            for cursor in self._cursors:
                cursor.interrupt()


class OpenReads:
    """Every running read of a store, with its start time."""

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
        """Interrupt the reads that are older, and return their number."""
        with self._lock:
            long = [cursor for cursor, since in self._since.items() if self._monotonic() - since > older_than_s]
            for cursor in long:
                cursor.interrupt()
        return len(long)


CURRENT: Final[ContextVar[Interruption | None]] = ContextVar("interruption", default=None)
