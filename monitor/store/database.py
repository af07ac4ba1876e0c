"""The owner of the DuckDB file: one process, one write lock, one cursor per read."""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import duckdb

from monitor.clock import Clock
from monitor.errors import ConfigError, DriftdError, StoreUnavailable
from monitor.store import rewrite
from monitor.store.connect import connect, log_of
from monitor.store.copying import Copy
from monitor.store.journal import Journal
from monitor.store.transaction import Change, Tx

__all__ = ["Store", "Tx"]

IDLE_S: Final = 1.0  # so long without a write is idle
CLOSE_WAIT_S: Final = 10.0  # what close() grants to transactions that are still open
SWAP_WAIT_S: Final = 1.0  # what a rewrite grants to open reads while writes and other reads wait, ...
SWAP_PAUSE_S: Final = 5.0  # ... how long it lets everybody go on at most before it tries again, ...
SWAP_TRIES: Final = 60  # ... and how often: then it is given up
PROBE_BYTES: Final = 2**20

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
        # It protects _unsaved, _last_write_s and _journal too.
        self._write_lock = threading.Lock()
        self._rewrite_lock = threading.Lock()  # one rewrite at a time; taken before the write lock
        self._journal: Journal | None = None  # of a rewrite at work: what is written meanwhile
        self._unsaved = True  # opening may have replayed a log or migrated: the first idle moment checkpoints
        self._last_write_s = clock.monotonic()
        self._users = threading.Condition()  # protects _connection and everything below
        self._open_cursors = 0
        self._closed = False
        self._invalid = False
        self._swapping = False  # the file is being replaced: reads wait the moment it takes
        self._copying: duckdb.DuckDBPyConnection | None = None  # the cursor of a rewrite at work
        self._holding = False  # writes wait for the new file
        self._abandoned = False  # driftd stops: no rewrite is to go on, and none to begin

    @classmethod
    def open(cls, path: Path, *, memory_limit_mb: int = 1024, clock: Clock) -> Self:
        """Open or create the file and migrate it.

        Raises StoreLocked when another process owns it, SchemaTooNew when a newer driftd wrote it, ConfigError when it
        cannot be a store at all.
        """
        path = path.resolve()  # a rewrite must replace the file, not a link to it
        connection = connect(path, memory_limit_mb, clock.now())
        rewrite.remove_leftovers(path)
        return cls(path, connection, memory_limit_mb, clock)

    @property
    def rewriting(self) -> bool:
        """Whether writes wait for a new file: what came in last is brought over, and the files change places."""
        return self._holding

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
            changes: list[Change] | None = None if self._journal is None else []
            tx = Tx(cursor, changes)
            try:
                yield tx
                self._commit(cursor)
                if self._journal is not None and changes is not None:
                    self._journal.add(changes)
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
            if self._journal is not None:
                return False  # the rewrite sees to it
            if not self._unsaved or self._clock.monotonic() - self._last_write_s < IDLE_S:
                return False
            self._demand_room_for_log()
            with self._cursor() as cursor, self._told_unavailable("checkpointed"):
                cursor.execute("CHECKPOINT")
            self._unsaved = False
            return True
        finally:
            self._write_lock.release()

    def rewrite(self, finish: Callable[[Tx], None]) -> None:
        """Write every row into a new file and put it in the place of this one: what was removed is in it no more.

        Reads and writes go on while the rows of one instant are copied. Then `finish` writes into the new file alone,
        and what was written since is brought over; all wait for the last of it and while the files change places. So
        what is removed meanwhile is gone from every table, but its bytes may be in the new file. A process killed at
        any moment leaves the old file or the new one, whole. Raises StoreUnavailable, and everything is as before, when
        it cannot be done now.
        """
        with self._rewrite_lock:
            try:
                with ExitStack() as held:
                    with self._copy() as copy:
                        with self._write_lock:
                            self._journal = journal = Journal(self.path)
                            copy.begin()
                        copy.copy_rows()
                        copy.write(finish)
                        copy.catch_up(journal, self._write_lock)
                        held.push(self._everybody_held(copy, journal))
                        copy.follow(journal)
                        copy.complete()
                    with self._users:
                        self._replace_file()
                    self._unsaved = True
            finally:
                self._end_journal()
                rewrite.remove_copy(self.path)

    def abandon_rewrite(self) -> None:
        """End a rewrite at work as if it had never begun: driftd stops, and its order stays for the next start."""
        with self._users:
            self._abandoned = True
            self._users.notify_all()
            if self._copying is not None:
                self._copying.interrupt()  # a long statement; between two of them the flag is looked at

    def probe(self) -> None:
        """Raise StoreUnavailable unless the disk takes bytes. It costs a file, so only what was refused asks."""
        place = self.path.with_name(self.path.name + ".probe")
        try:
            place.write_bytes(bytes(PROBE_BYTES))
        except OSError as error:
            raise StoreUnavailable(f"{self.path} cannot be written now: {error.strerror}") from error
        finally:
            with suppress(OSError):
                place.unlink(missing_ok=True)

    def close(self) -> None:
        """Wait for open transactions, then give the file back; closing twice does nothing."""
        with self._rewrite_lock, self._write_lock, self._users:
            if self._closed:
                return
            self._closed = True
            self._users.wait_for(lambda: self._open_cursors == 0, timeout=CLOSE_WAIT_S)
            self._connection.close()

    def _demand_going_on(self) -> None:
        if self._abandoned:
            raise StoreUnavailable(f"{self.path} is not rewritten now: driftd is stopping")

    @contextmanager
    def _copy(self) -> Iterator[Copy]:
        with (
            self._told_unavailable("rewritten"),
            self._cursor() as cursor,
            self._interruptible(cursor),
            closing(
                Copy(
                    cursor,
                    self.path,
                    memory_limit_mb=self._memory_limit_mb,
                    clock=self._clock,
                    go_on=self._demand_going_on,
                )
            ) as copy,
        ):
            yield copy

    def _everybody_held(self, copy: Copy, journal: Journal) -> ExitStack:
        """Writes and reads wait until it is closed, and the cursor of the copy is the only one."""
        for _ in range(SWAP_TRIES):
            with ExitStack() as held:
                held.enter_context(self._writes_held())
                if held.enter_context(self._reads_held()):
                    return held.pop_all()
            with self._users:
                self._users.wait_for(lambda: self._abandoned or self._open_cursors == 1, timeout=SWAP_PAUSE_S)
            self._demand_going_on()
            copy.follow(journal)
        raise StoreUnavailable(f"{self.path} was being read whenever it was looked at; the rewrite is tried again")

    @contextmanager
    def _writes_held(self) -> Iterator[None]:
        with self._write_lock:
            self._holding = True
            try:
                yield
            finally:
                self._holding = False

    @contextmanager
    def _reads_held(self) -> Iterator[bool]:
        """Whether those that were open have ended."""
        with self._users:
            self._swapping = True
            alone = self._users.wait_for(lambda: self._open_cursors == 1, timeout=SWAP_WAIT_S)
        try:
            yield alone
        finally:
            with self._users:
                self._swapping = False
                self._users.notify_all()

    def _end_journal(self) -> None:
        with self._write_lock:
            if self._journal is not None:
                self._journal.close()
                self._journal = None

    def _replace_file(self) -> None:
        """Nobody has the file open now, and nobody can: everybody is held."""
        self._invalid = True  # until it is open again: should that fail, the next use tries once more
        self._connection.close()  # takes the log into the file
        try:
            rewrite.put_in_place(self.path)
        except OSError as error:
            raise StoreUnavailable(f"{self.path} cannot be replaced now: {error.strerror}") from error
        finally:
            with suppress(DriftdError):
                self._reconnect()

    @contextmanager
    def _interruptible(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[None]:
        with self._users:
            self._copying = cursor
        try:
            yield
        except (duckdb.InterruptException, duckdb.TransactionException, OSError) as error:
            raise StoreUnavailable(f"{self.path} cannot be rewritten now: {error}") from error
        finally:
            with self._users:
                self._copying = None

    def _demand_room_for_log(self) -> None:
        """On a full disk a checkpoint would cost the instance, and with it every read in progress."""
        log = log_of(self.path)
        needed = log.stat().st_size if log.exists() else 0
        if shutil.disk_usage(self.path.parent).free < needed:
            raise StoreUnavailable(f"{self.path} cannot be checkpointed now: its disk has not {needed} bytes left")

    def _commit(self, cursor: duckdb.DuckDBPyConnection) -> None:
        try:
            cursor.execute("COMMIT")
        except duckdb.TransactionException as error:  # how DuckDB reports a log it could not write
            raise StoreUnavailable(f"{self.path} cannot be written now: {error}") from error

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        with self._users:
            self._users.wait_for(lambda: not self._swapping)
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
        try:
            self._connection = connect(self.path, self._memory_limit_mb, self._clock.now())
        except ConfigError as error:  # it names the setting, but what worked at the start is to be tried again
            raise StoreUnavailable(f"{self.path} cannot be opened again now: {error}") from error
        self._invalid = False


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    # A failed commit has ended the transaction already; the first error is the one to tell.
    with suppress(duckdb.Error):
        cursor.execute("ROLLBACK")
