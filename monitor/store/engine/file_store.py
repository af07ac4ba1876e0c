"""The owner of the DuckDB file: one process, one write lock, one cursor for each read."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Final, Self

import duckdb

from monitor.clock import Clock
from monitor.domain.audit import Head
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.errors import StoreUnavailable, unknown
from monitor.store.access.request_entry import CURRENT as CURRENT_REQUEST
from monitor.store.backup.unfinished import refuse_unfinished_restore
from monitor.store.engine import compact_files
from monitor.store.engine.compactor import Compactor, CopiedRows
from monitor.store.engine.connect import bytes_on_disk, connect, log_of
from monitor.store.engine.connections import Cursors
from monitor.store.engine.database import Store
from monitor.store.engine.disk_reserve import DiskReserve, ReserveSize
from monitor.store.engine.interruption import CURRENT, Interruption, OpenReads
from monitor.store.engine.table_scan import TableScan, scan_table, table_names
from monitor.store.engine.transaction import Change, Tx
from monitor.store.engine.watermark import Watermark
from monitor.store.engine.write_lock import WriteLock
from monitor.store.maintenance.fold import fold_before_commit

IDLE_S: Final = 60.0  # without a write for this time, a checkpoint of some seconds delays no one
MAX_BUSY_S: Final = 3600.0  # the longest time between checkpoints under constant writes
PROBE_BYTES: Final = 2**20


class FileStore(Store):
    """The database file. Reads continue during a write: each read sees the state at its begin."""

    kind = "file"

    def __init__(
        self,
        path: Path,
        connection: duckdb.DuckDBPyConnection,
        memory_limit_mb: int,
        clock: Clock,
        watermark: Watermark,
        *,
        threads: int | None,
        disk: DiskReserve,
    ) -> None:
        self.path = path
        self._disk = disk
        self._watermark = watermark
        self._clock = clock
        self._cursors = Cursors(path, connection, memory_limit_mb, clock, threads=threads)
        self._writes = WriteLock(last_write_s=clock.monotonic(), last_checkpoint_s=clock.monotonic())
        self._reads = OpenReads(clock.monotonic)
        self._compactor = Compactor(path, self._cursors, self._writes, memory_limit_mb=memory_limit_mb, clock=clock)

    @classmethod
    def open_file(
        cls,
        path: Path,
        *,
        memory_limit_mb: int = 1024,
        threads: int | None = None,
        clock: Clock,
        reserve: ReserveSize | None = None,
    ) -> Self:
        """Open or create the file and migrate it. `threads` are those of queries, by default one for each processor
        that the process may use. `reserve` is the free space that its disk keeps.

        Raises StoreLocked when another process owns it, SchemaTooNew when a newer driftd wrote it, ConfigError when it
        is not a usable database.
        """
        path = path.resolve()  # a compaction must replace the file, not a link to it
        refuse_unfinished_restore(path)
        connection = connect(path, memory_limit_mb, clock.now())
        compact_files.remove_leftovers(path)
        try:
            watermark = Watermark.open(path, connection, clock.now())
        except BaseException:
            connection.close()
            raise
        if threads is not None:
            connection.execute(f"SET GLOBAL threads = {threads}")
        return cls(
            path, connection, memory_limit_mb, clock, watermark, threads=threads, disk=DiskReserve(path.parent, reserve)
        )

    @property
    def shared(self) -> bool:
        return False

    @property
    def name(self) -> str:
        """Return the path of the file."""
        return str(self.path)

    @property
    def disk(self) -> DiskReserve:
        """Return the reserve of the disk of the file."""
        return self._disk

    def bytes_stored(self) -> int:
        """Return the size of the file and its log in bytes."""
        return bytes_on_disk(self.path)

    @property
    def compacting(self) -> bool:
        """Return whether writes wait for the end of a compaction."""
        return self._compactor.blocks_writes

    @property
    def written(self) -> Mapping[str, int]:
        """Return how many committed writes changed rows of each table since the start. The process with the store is
        the only writer.
        """
        return self._writes.written

    @property
    def audit_head(self) -> Head:
        """Return the newest committed entry of the audit log."""
        return self._watermark.audit_head

    @contextmanager
    def read(self) -> Iterator[Tx]:
        """Yield a read-only snapshot on its own cursor.

        Raises ReadInterrupted when the client of the request disconnected, or the store stops.
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
                yield Tx(cursor, limit=CURRENT_LIMIT.get())
            finally:
                _roll_back(cursor)

    @contextmanager
    def write(self) -> Iterator[Tx]:
        """Yield one transaction under the write lock. When the block ends, all of it is on disk, or none of it.

        Raises StoreUnavailable when the file cannot be written now (disk full, read-only, closed).
        """
        with self._writes.lock, self._cursors.unavailable_errors("written"), self._cursors.lend_to_write() as kept:
            cursor = kept.cursor
            cursor.execute("BEGIN TRANSACTION")
            changes: list[Change] | None = None if self._writes.journal is None else []
            tx = Tx(cursor, changes, kept=kept, audit_head=self._watermark.audit_head, limit=CURRENT_LIMIT.get())
            request = CURRENT_REQUEST.get()
            try:
                yield tx
                if tx.appended_facts:
                    fold_before_commit(tx)
                tx.limit = None  # the entry of the audit log and the watermark are the daemon's own
                if request is not None and tx.changed_rows:
                    request.before_commit(tx)
                mark = self._watermark.advance(tx, self._clock.now()) if tx.changed_rows else None
                self._commit(cursor)
                if mark is not None:
                    self._watermark.committed(mark)
                    self._writes.count(tx.changed_tables)
                if request is not None and tx.changed_rows:
                    request.after_commit()
                if self._writes.journal is not None and changes is not None:
                    self._writes.journal.add(changes)
            except BaseException:
                _roll_back(cursor)
                raise
            if tx.changed_rows:
                self._writes.unsaved = True
                self._writes.last_write_s = self._clock.monotonic()

    def checkpoint_when_idle(self) -> bool:
        """Checkpoint the log and merge small row groups. Return whether it was done.

        It runs after one minute without a write, or at least once an hour under constant writes. A write that arrives
        meanwhile waits, for some seconds at most.
        """
        if not self._writes.lock.acquire(blocking=False):
            return False
        try:
            if self._writes.journal is not None:
                return False  # the compaction checkpoints
            now_s = self._clock.monotonic()
            idle = now_s - self._writes.last_write_s >= IDLE_S
            if not self._writes.unsaved or not (idle or now_s - self._writes.last_checkpoint_s >= MAX_BUSY_S):
                return False
            self._require_space_for_log()
            with self._cursors.lend() as cursor, self._cursors.unavailable_errors("checkpointed"):
                cursor.execute("SET GLOBAL max_vacuum_tasks = 1")  # for each table; a large table takes 3 s
                try:
                    cursor.execute("CHECKPOINT")
                finally:
                    cursor.execute("SET GLOBAL max_vacuum_tasks = 0")
            self._writes.unsaved, self._writes.last_checkpoint_s = False, now_s
            return True
        finally:
            self._writes.lock.release()

    def compact(self, finish: Callable[[Tx], None]) -> None:
        """Write every row into a new file and replace the database with it, so that no bytes of removed rows remain.

        Reads and writes continue while the rows of one snapshot are copied. Then `finish` writes into the new file
        only, and later changes are applied to it. All access waits for the last changes and the replacement. Rows that
        are removed during the copy are gone from every table, but their bytes may be in the new file. A process killed
        at any time leaves either the old file or the new one, complete. Raises StoreUnavailable, without any effect,
        when compaction is not possible now.
        """
        self._compactor.compact(finish)

    def copy_to(self, target: Path) -> CopiedRows:
        """Write every row of one snapshot into a new database file at `target`, while other threads read and write.

        The snapshot contains whole commits. Raises StoreUnavailable, and leaves no file, when a copy is not possible
        now, or when the copy would use the reserve of the disk: senders would be refused while it exists.
        """
        return self._compactor.copy_to(target, keep_free=self.disk.bytes_of(target.parent))

    def snapshot(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Lend a cursor that reads one snapshot of whole commits. Other threads read and write; compactions wait."""
        return self._compactor.snapshot()

    def table_names(self) -> list[str]:
        """Return the tables of the database, sorted."""
        with self._cursors.lend() as cursor, self._cursors.unavailable_errors("read"):
            return table_names(cursor)

    def scan_table(self, table: str) -> TableScan:
        """Read every value of a table. Raises NotFound for another name, BlockDamaged for a wrong checksum."""
        with self._cursors.lend() as cursor, self._cursors.unavailable_errors("read"), self._reads.covers(cursor):
            if table not in (names := table_names(cursor)):
                raise unknown("table", table, names)
            return scan_table(cursor, table)

    def abandon_compaction(self) -> None:
        """End a running compaction or copy without effect, because driftd stops. The order of a compaction stays open
        for the next start.
        """
        self._compactor.abandon()

    def interrupt_reads(self, older_than_s: float) -> int:
        """End older reads with ReadInterrupted, because driftd stops. Return their number."""
        return self._reads.interrupt(older_than_s)

    def probe(self) -> None:
        """Raise StoreUnavailable unless the disk accepts bytes. It writes a file, so it is called only after a refused
        write.
        """
        place = self.path.with_name(self.path.name + ".probe")
        try:
            place.write_bytes(bytes(PROBE_BYTES))
        except OSError as error:
            raise StoreUnavailable(f"{self.path} cannot be written now: {error.strerror}") from error
        finally:
            with suppress(OSError):
                place.unlink(missing_ok=True)

    def close(self) -> None:
        """Wait for open transactions, then close the file. A second call does nothing."""
        with self._compactor.lock, self._writes.lock:
            self._cursors.close()
            self._watermark.close()

    def _require_space_for_log(self) -> None:
        """Raise StoreUnavailable when the disk has no space for the checkpoint: DuckDB would fail with every running
        read.
        """
        log = log_of(self.path)
        needed = log.stat().st_size if log.exists() else 0
        if shutil.disk_usage(self.path.parent).free < needed:
            raise StoreUnavailable(
                f"{self.path} cannot be checkpointed now: its disk has less than {needed} bytes free"
            )

    def _commit(self, cursor: duckdb.DuckDBPyConnection) -> None:
        try:
            cursor.execute("COMMIT")
        except duckdb.TransactionException as error:  # how DuckDB reports a log it could not write
            raise StoreUnavailable(f"{self.path} cannot be written now: {error}") from error


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    # A failed commit has ended the transaction already; the first error is reported.
    with suppress(duckdb.Error):
        cursor.execute("ROLLBACK")
