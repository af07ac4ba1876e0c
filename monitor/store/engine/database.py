"""The owner of the DuckDB file: one process, one write lock, one cursor per read."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import duckdb

from monitor.clock import Clock
from monitor.errors import StoreUnavailable
from monitor.store.engine import compact_files
from monitor.store.engine.compactor import Compactor
from monitor.store.engine.connect import connect, log_of
from monitor.store.engine.connections import Cursors
from monitor.store.engine.interruption import CURRENT, Interruption, OpenReads
from monitor.store.engine.transaction import Change, Tx
from monitor.store.engine.watermark import Watermark
from monitor.store.engine.write_lock import WriteLock

__all__ = ["Store", "Tx"]

QUIET_S: Final = 60.0  # so long without a write is time enough for a checkpoint that takes seconds
LONGEST_BUSY_S: Final = 3600.0  # after so long without a quiet minute it is made all the same
PROBE_BYTES: Final = 2**20


class Store:
    """Reads go on while a write is in progress: each sees the state at its own begin."""

    def __init__(
        self,
        path: Path,
        connection: duckdb.DuckDBPyConnection,
        memory_limit_mb: int,
        clock: Clock,
        watermark: Watermark,
    ) -> None:
        self.path = path
        self._watermark = watermark
        self._clock = clock
        self._cursors = Cursors(path, connection, memory_limit_mb, clock)
        self._writes = WriteLock(last_write_s=clock.monotonic(), last_checkpoint_s=clock.monotonic())
        self._reads = OpenReads(clock.monotonic)
        self._compactor = Compactor(path, self._cursors, self._writes, memory_limit_mb=memory_limit_mb, clock=clock)

    @classmethod
    def open(cls, path: Path, *, memory_limit_mb: int = 1024, clock: Clock) -> Self:
        """Open or create the file and migrate it.

        Raises StoreLocked when another process owns it, SchemaTooNew when a newer driftd wrote it, ConfigError when it
        cannot be a store at all.
        """
        path = path.resolve()  # a compaction must replace the file, not a link to it
        connection = connect(path, memory_limit_mb, clock.now())
        compact_files.remove_leftovers(path)
        try:
            watermark = Watermark.open(path, connection, clock.now())
        except BaseException:
            connection.close()
            raise
        return cls(path, connection, memory_limit_mb, clock, watermark)

    @property
    def compacting(self) -> bool:
        """Whether writes wait for a new file: what came in last is brought over, and the files change places."""
        return self._compactor.blocks_writes

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """A snapshot on a cursor of its own; it cannot write.

        Raises ReadInterrupted when the request that it belongs to was given up, or the store stops.
        """
        interruption = CURRENT.get() or Interruption()
        with (
            self._cursors.lend() as cursor,
            self._cursors.unavailable_errors("read"),
            self._reads.covers(cursor),
            interruption.covers(cursor),
        ):
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
        with self._writes.lock, self._cursors.unavailable_errors("written"), self._cursors.lend_to_write() as kept:
            cursor = kept.cursor
            cursor.execute("BEGIN TRANSACTION")
            changes: list[Change] | None = None if self._writes.journal is None else []
            tx = Tx(cursor, changes, kept=kept)
            try:
                yield tx
                mark = self._watermark.advance(tx, self._clock.now()) if tx.changed_rows else None
                self._commit(cursor)
                if mark is not None:
                    self._watermark.committed(mark)
                if self._writes.journal is not None and changes is not None:
                    self._writes.journal.add(changes)
            except BaseException:
                _roll_back(cursor)
                raise
            if tx.changed_rows:
                self._writes.unsaved = True
                self._writes.last_write_s = self._clock.monotonic()

    def checkpoint_when_idle(self) -> bool:
        """Fold the log into the file and put small row groups together, if nobody has written for a minute, or for an
        hour somebody always had; True when it was done. A write that comes meanwhile waits, for seconds at worst.
        """
        if not self._writes.lock.acquire(blocking=False):
            return False
        try:
            if self._writes.journal is not None:
                return False  # the compaction sees to it
            now_s = self._clock.monotonic()
            quiet = now_s - self._writes.last_write_s >= QUIET_S
            if not self._writes.unsaved or not (quiet or now_s - self._writes.last_checkpoint_s >= LONGEST_BUSY_S):
                return False
            self._require_space_for_log()
            with self._cursors.lend() as cursor, self._cursors.unavailable_errors("checkpointed"):
                cursor.execute("SET GLOBAL max_vacuum_tasks = 1")  # of each table: that of a large one takes 3 s
                try:
                    cursor.execute("CHECKPOINT")
                finally:
                    cursor.execute("SET GLOBAL max_vacuum_tasks = 0")
            self._writes.unsaved, self._writes.last_checkpoint_s = False, now_s
            return True
        finally:
            self._writes.lock.release()

    def compact(self, finish: Callable[[Tx], None]) -> None:
        """Write every row into a new file and put it in the place of this one: what was removed is in it no more.

        Reads and writes go on while the rows of one instant are copied. Then `finish` writes into the new file alone,
        and what was written since is brought over; all wait for the last of it and while the files change places. So
        what is removed meanwhile is gone from every table, but its bytes may be in the new file. A process killed at
        any moment leaves the old file or the new one, whole. Raises StoreUnavailable, and everything is as before, when
        it cannot be done now.
        """
        self._compactor.compact(finish)

    def abandon_compaction(self) -> None:
        """End a compaction at work as if it had never begun: driftd stops, and its order stays for the next start."""
        self._compactor.abandon()

    def interrupt_reads(self, older_than_s: float) -> int:
        """End the reads that have taken longer with ReadInterrupted, and return their number: driftd stops."""
        return self._reads.interrupt(older_than_s)

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
        with self._compactor.lock, self._writes.lock:
            self._cursors.close()
            self._watermark.close()

    def _require_space_for_log(self) -> None:
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


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    # A failed commit has ended the transaction already; the first error is the one to tell.
    with suppress(duckdb.Error):
        cursor.execute("ROLLBACK")
