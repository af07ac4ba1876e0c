"""The connection to the file: lends cursors, reopens the file after a fatal error, and blocks access while it is
replaced.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from monitor.clock import Clock
from monitor.errors import ConfigError, DriftdError, ReadInterrupted, StoreUnavailable
from monitor.store.engine import compact_files
from monitor.store.engine.connect import connect
from monitor.store.engine.prepared_insert import Appender
from monitor.store.traffic.recent_ids import RecentIds

CLOSE_WAIT_S: Final = 10.0  # how long close() waits for open transactions

# Disk full, file read-only, out of memory, or a DuckDB instance that is invalid: the same write can succeed later.
UNAVAILABLE: Final = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.FatalException,
    duckdb.ConnectionException,
)


@dataclass(slots=True)
class WriteCursor:
    """The cursor of all writes, with the state that later writes reuse."""

    cursor: duckdb.DuckDBPyConnection
    appender: Appender
    recent: RecentIds | None = None  # of interactions; None until the first insert
    settled_until: datetime | None = None  # no day that ends later is settled; None until it is read


class Cursors:
    """Lends cursors, each to one caller. A read cursor is closed when its block ends; the write cursor is reused."""

    def __init__(
        self,
        path: Path,
        connection: duckdb.DuckDBPyConnection,
        memory_limit_mb: int,
        clock: Clock,
        *,
        threads: int | None = None,
    ) -> None:
        """`threads` are set again when the file is opened again; None for those of `connect`."""
        self._path, self._memory_limit_mb, self._clock, self._threads = path, memory_limit_mb, clock, threads
        self.users = threading.Condition()  # notified when a cursor is returned; protects the fields below
        self._connection = connection
        self._kept: WriteCursor | None = None  # not counted as open while no write is in progress
        self._open_cursors = 0
        self._closed = False
        self._invalid = False
        self._swapping = False  # the file is being replaced: reads wait

    @property
    def has_one_user(self) -> bool:
        """Return whether exactly one cursor is open. The caller owns that cursor and holds `users`."""
        return self._open_cursors == 1

    @contextmanager
    def lend(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a read cursor. Raises StoreUnavailable when the file is closed or cannot be reopened."""
        with self.users:
            self._wait_until_open()
            cursor = self._connection.cursor()
            self._open_cursors += 1
        try:
            yield cursor
        finally:
            with self.users:
                cursor.close()
                self._open_cursors -= 1
                self.users.notify_all()

    @contextmanager
    def lend_to_write(self) -> Iterator[WriteCursor]:
        """Lend the write cursor to the holder of the write lock. It is reused until DuckDB reports an error."""
        with self.users:
            self._wait_until_open()
            if self._kept is None:
                cursor = self._connection.cursor()
                self._kept = WriteCursor(cursor, Appender(cursor))
            kept = self._kept
            self._open_cursors += 1
        try:
            yield kept
        except (duckdb.Error, StoreUnavailable):
            with self.users:
                self._drop_kept()
            raise
        finally:
            with self.users:
                self._open_cursors -= 1
                self.users.notify_all()

    @contextmanager
    def unavailable_errors(self, what: str) -> Iterator[None]:
        """Raise StoreUnavailable for every DuckDB error after which the same operation can succeed later."""
        try:
            yield
        except duckdb.InterruptException as error:
            raise ReadInterrupted(
                f"a query of {self._path} was interrupted: its client disconnected or driftd stops"
            ) from error
        except UNAVAILABLE as error:
            if isinstance(error, duckdb.FatalException):
                with self.users:
                    self._invalid = True
            raise StoreUnavailable(f"{self._path} cannot be {what} now: {error}") from error

    @contextmanager
    def held(self, wait_s: float) -> Iterator[bool]:
        """Lend no cursor until the block ends. Yield whether all cursors but the caller's were returned within
        `wait_s`.
        """
        with self.users:
            self._swapping = True
            alone = self.users.wait_for(lambda: self.has_one_user, timeout=wait_s)
        try:
            yield alone
        finally:
            with self.users:
                self._swapping = False
                self.users.notify_all()

    def replace_file(self) -> None:
        """Replace the file with the compacted one. All cursors are blocked, so no other thread has the file open."""
        with self.users:
            self._invalid = True  # until it is reopened; if that fails, the next use tries again
            self._drop_kept()
            self._connection.close()  # checkpoints the log
            try:
                compact_files.replace_with_copy(self._path)
            except OSError as error:
                raise StoreUnavailable(f"{self._path} cannot be replaced now: {error.strerror}") from error
            finally:
                with suppress(DriftdError):
                    self._reconnect()

    def close(self) -> None:
        """Wait for open transactions, then close the file. A second call does nothing."""
        with self.users:
            if self._closed:
                return
            self._closed = True
            self.users.wait_for(lambda: self._open_cursors == 0, timeout=CLOSE_WAIT_S)
            self._drop_kept()
            self._connection.close()

    def _wait_until_open(self) -> None:
        self.users.wait_for(lambda: not self._swapping)
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed: driftd is shutting down")
        if self._invalid:
            self._reconnect()

    def _drop_kept(self) -> None:
        if self._kept is not None:
            self._kept.cursor.close()
            self._kept = None

    def _reconnect(self) -> None:
        """Reopen the file. After a fatal error DuckDB rejects every statement until all connections to the file are
        closed.
        """
        if self._open_cursors:
            raise StoreUnavailable(f"{self._path} is being reopened after an error; try again")
        self._drop_kept()
        self._connection.close()
        try:
            self._connection = connect(self._path, self._memory_limit_mb, self._clock.now())
            if self._threads is not None:
                self._connection.execute(f"SET GLOBAL threads = {self._threads}")
        except ConfigError as error:  # the setting worked at the start, so the caller can retry
            raise StoreUnavailable(f"{self._path} cannot be reopened now: {error}") from error
        self._invalid = False
