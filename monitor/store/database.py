"""The owner of the DuckDB file: one process, one write lock, one cursor per read."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import duckdb

from monitor.clock import Clock
from monitor.errors import StoreUnavailable
from monitor.store.connect import connect
from monitor.store.transaction import Tx

__all__ = ["Store", "Tx"]

IDLE_S: Final = 1.0  # so long without a write is idle
CLOSE_WAIT_S: Final = 10.0  # what close() grants to transactions that are still open

# Disk full, file read-only, out of memory, or DuckDB gave the instance up: the same write may work later.
_UNAVAILABLE: Final = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.FatalException,
    duckdb.ConnectionException,
)


class Store:
    """Reads go on while a write is in progress: each sees the state at its own begin."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, memory_limit_mb: int, clock: Clock) -> None:
        self.path = path
        self._connection = connection
        self._memory_limit_mb = memory_limit_mb
        self._clock = clock
        # Held from BEGIN to COMMIT of a write and during a checkpoint; check-and-insert relies on it.
        # It protects _unsaved and _last_write_s too.
        self._write_lock = threading.Lock()
        self._unsaved = True  # opening may have replayed a log or migrated: the first idle moment checkpoints
        self._last_write_s = clock.monotonic()
        self._users = threading.Condition()  # protects _connection, _open_cursors, _closed and _invalid
        self._open_cursors = 0
        self._closed = False
        self._invalid = False

    @classmethod
    def open(cls, path: Path, *, memory_limit_mb: int = 1024, clock: Clock) -> Self:
        """Open or create the file and migrate it.

        Raises StoreLocked when another process owns it, SchemaTooNew when a newer driftd wrote it, ConfigError when it
        cannot be a store at all.
        """
        return cls(path, connect(path, memory_limit_mb, clock.now()), memory_limit_mb, clock)

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A snapshot on a cursor of its own; it cannot write."""
        with self._cursor() as cursor, self._told_unavailable("read"):
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                yield Tx(cursor)
            finally:
                _roll_back(cursor)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """One transaction under the write lock: all of it is on disk when the block ends, or none of it.

        Raises StoreUnavailable when the file cannot take it now (disk full, read-only, closed).
        """
        with self._write_lock, self._cursor() as cursor, self._told_unavailable("written"):
            cursor.execute("BEGIN TRANSACTION")
            tx = Tx(cursor)
            try:
                yield tx
                self._commit(cursor)
            except BaseException:
                _roll_back(cursor)
                raise
            if tx.changed_rows:
                self._unsaved = True
                self._last_write_s = self._clock.monotonic()

    def checkpoint_when_idle(self) -> bool:
        """Fold the log into the file if nobody has written for a second; True when it was done.

        Left to DuckDB's default, every few thousand rows would stall their write for it.
        """
        if not self._write_lock.acquire(blocking=False):
            return False
        try:
            if not self._unsaved or self._clock.monotonic() - self._last_write_s < IDLE_S:
                return False
            with self._cursor() as cursor, self._told_unavailable("checkpointed"):
                cursor.execute("CHECKPOINT")
            self._unsaved = False
            return True
        finally:
            self._write_lock.release()

    def close(self) -> None:
        """Wait for open transactions, then give the file back; closing twice does nothing."""
        with self._write_lock, self._users:
            if self._closed:
                return
            self._closed = True
            self._users.wait_for(lambda: self._open_cursors == 0, timeout=CLOSE_WAIT_S)
            self._connection.close()

    def _commit(self, cursor: duckdb.DuckDBPyConnection) -> None:
        try:
            cursor.execute("COMMIT")
        except duckdb.TransactionException as error:  # how DuckDB reports a log it could not write
            raise StoreUnavailable(f"{self.path} cannot be written now: {error}") from error

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._users:
            if self._closed:
                raise StoreUnavailable(f"{self.path} is closed: driftd is shutting down")
            if self._invalid:
                self._reconnect()
            cursor = self._connection.cursor()
            self._open_cursors += 1
        try:
            yield cursor
        finally:
            with self._users:
                cursor.close()
                self._open_cursors -= 1
                self._users.notify_all()

    @contextmanager
    def _told_unavailable(self, what: str) -> Iterator[None]:
        try:
            yield
        except _UNAVAILABLE as error:
            if isinstance(error, duckdb.FatalException):
                with self._users:
                    self._invalid = True
            raise StoreUnavailable(f"{self.path} cannot be {what} now: {error}") from error

    def _reconnect(self) -> None:
        """After a fatal error DuckDB answers nothing more until the file has been opened anew, by nobody else."""
        if self._open_cursors:
            raise StoreUnavailable(f"{self.path} is being opened again after an error; try again")
        self._connection.close()
        self._connection = connect(self.path, self._memory_limit_mb, self._clock.now())
        self._invalid = False


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    # A failed commit has ended the transaction already; the first error is the one to tell.
    with suppress(duckdb.Error):
        cursor.execute("ROLLBACK")
