"""One connection to the file, lent as cursors, opened again after a fatal error and held while the file is replaced."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from monitor.clock import Clock
from monitor.errors import ConfigError, DriftdError, ReadInterrupted, StoreUnavailable
from monitor.store.engine import compact_files
from monitor.store.engine.connect import connect
from monitor.store.engine.prepared_insert import Appender
from monitor.store.traffic.recent_ids import RecentIds

CLOSE_WAIT_S: Final = 10.0  # what close() grants to transactions that are still open

# Disk full, file read-only, out of memory, or DuckDB gave the instance up: the same write may work later.
_UNAVAILABLE: Final = (
    duckdb.IOException,
    duckdb.OutOfMemoryException,
    duckdb.FatalException,
    duckdb.ConnectionException,
)


@dataclass(slots=True)
class WriteCursor:
    """The cursor of all writes, and what is worth keeping from one to the next."""

    cursor: duckdb.DuckDBPyConnection
    appender: Appender
    recent: RecentIds | None = None  # of interactions; None until it is asked for


class Cursors:
    """Each is of whoever asked for it alone, and closed when its block ends; that of writes is kept for the next."""

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection, memory_limit_mb: int, clock: Clock) -> None:
        self._path, self._memory_limit_mb, self._clock = path, memory_limit_mb, clock
        self.users = threading.Condition()  # told of every cursor that is given back; protects everything below
        self._connection = connection
        self._kept: WriteCursor | None = None  # not counted among the open ones while nobody writes
        self._open_cursors = 0
        self._closed = False
        self._invalid = False
        self._swapping = False  # the file is being replaced: reads wait the moment it takes

    @property
    def has_one_user(self) -> bool:
        """Whether one cursor is open; to be asked by its owner, who holds `users`."""
        return self._open_cursors == 1

    @contextmanager
    def lend(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """Raises StoreUnavailable when the file is closed or cannot be opened again."""
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
        """The same, to who holds the write lock. It is used again until DuckDB reports an error."""
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
        """StoreUnavailable for every error of DuckDB after which the same may work later."""
        try:
            yield
        except duckdb.InterruptException as error:
            raise ReadInterrupted(
                f"a query of {self._path} was interrupted: its client left or driftd stops"
            ) from error
        except _UNAVAILABLE as error:
            if isinstance(error, duckdb.FatalException):
                with self.users:
                    self._invalid = True
            raise StoreUnavailable(f"{self._path} cannot be {what} now: {error}") from error

    @contextmanager
    def held(self, wait_s: float) -> Iterator[bool]:
        """None is lent until the block ends. Whether all but the caller's own were given back within `wait_s`."""
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
        """Put the compacted file in the place of this one. Nobody has it open now, and nobody can: all are held."""
        with self.users:
            self._invalid = True  # until it is open again: should that fail, the next use tries once more
            self._drop_kept()
            self._connection.close()  # takes the log into the file
            try:
                compact_files.replace_with_copy(self._path)
            except OSError as error:
                raise StoreUnavailable(f"{self._path} cannot be replaced now: {error.strerror}") from error
            finally:
                with suppress(DriftdError):
                    self._reconnect()

    def close(self) -> None:
        """Wait for open transactions, then give the file back; closing twice does nothing."""
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
        """After a fatal error DuckDB answers nothing more until the file has been opened anew, by nobody else."""
        if self._open_cursors:
            raise StoreUnavailable(f"{self._path} is being opened again after an error; try again")
        self._drop_kept()
        self._connection.close()
        try:
            self._connection = connect(self._path, self._memory_limit_mb, self._clock.now())
        except ConfigError as error:  # it names the setting, but what worked at the start is to be tried again
            raise StoreUnavailable(f"{self._path} cannot be opened again now: {error}") from error
        self._invalid = False
