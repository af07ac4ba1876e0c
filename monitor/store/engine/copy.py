"""Copies the open database into a new file while other threads read and write.

DuckDB does not release the space of deleted rows, and their bytes stay readable in the file. A new file contains only
the copied rows and later changes.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb

from monitor.clock import Clock
from monitor.errors import ConfigError, StoreUnavailable
from monitor.store.engine.change_log import Journal
from monitor.store.engine.compact_files import remove_database, require_space, size, sync
from monitor.store.engine.connect import connect, log_of
from monitor.store.engine.transaction import Change, Tx

SHORT_S: Final = 0.5  # changes are applied in rounds until a round takes no longer than this
ROUNDS: Final = 20  # the maximum number of rounds, if changes arrive as fast as they are applied
STEP: Final = 500  # transactions between two checkpoints of the copy
SMALL_LOG_BYTES: Final = 2**24  # closing checkpoints the log of the old file; a larger log is checkpointed before
_ALIAS: Final = "driftd_compaction"
_USED: Final = "SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = current_database()"


class Copy:
    """The new file of an open database at `target`, attached to one cursor.

    The migrations create its schema, as in any new file. The copy has two phases: all rows of one snapshot are copied,
    then the changes that were committed since are applied.
    """

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        path: Path,
        target: Path,
        *,
        memory_limit_mb: int,
        clock: Clock,
        check_abandoned: Callable[[], None],
        keep_free: int = 0,
    ) -> None:
        """Attach the new file. `check_abandoned` runs between two steps and raises to end the copy. The copy leaves
        `keep_free` bytes of its disk free.
        """
        self._cursor, self._path, self._clock, self._go_on = cursor, path, clock, check_abandoned
        self._copy = target
        self._catalog = str(_value(cursor, "SELECT current_database()"))
        remove_database(target)
        require_space(path, int(_value(cursor, _USED)) + keep_free, target.parent)
        try:
            connect(self._copy, memory_limit_mb, clock.now()).close()
        except ConfigError as error:  # the setting worked at the start, so the caller can retry
            raise StoreUnavailable(f"{path} cannot be copied now: {error}") from error
        self._copy.chmod(path.stat().st_mode & 0o777)
        # No write-ahead log: no commit must be durable before the last checkpoint, and changes must be applied faster
        # than they arrive.
        cursor.execute(f"ATTACH {_quoted(str(self._copy))} AS {_ALIAS} (RECOVERY_MODE no_wal_writes)")
        try:
            self._tables = self._empty_tables()
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Take the snapshot that is copied. The caller blocks writes during this call."""
        self._cursor.execute("BEGIN TRANSACTION")
        _value(self._cursor, f"SELECT count(*) FROM {_name(self._catalog, 'compaction')}")  # noqa: S608 - a snapshot starts with the first read

    def copy_rows(self) -> Mapping[str, int]:
        """Copy every row of the snapshot, and return the number of rows by table. Other threads may write."""
        copied: dict[str, int] = {}
        for table in self._tables:
            self._go_on()
            copied[table] = _copy_table(self._cursor, _name(self._catalog, table), _name(_ALIAS, table))
        self._cursor.execute("COMMIT")
        self._cursor.execute(f"USE {_ALIAS}")
        return copied

    def read(self) -> Tx:
        """Return a transaction that reads the new file. Call it after `copy_rows`."""
        return Tx(self._cursor)

    def write(self, work: Callable[[Tx], None]) -> None:
        """Run one transaction in the new file only."""
        self._cursor.execute("BEGIN TRANSACTION")
        work(Tx(self._cursor))
        self._cursor.execute("COMMIT")
        self._go_on()

    def catch_up(self, journal: Journal, write_lock: threading.Lock) -> None:
        """Apply the changes that were committed during the copy, until few remain. The rest is applied while writes are
        blocked.
        """
        self._flush()
        self._follow_in_rounds(journal)
        if size(log_of(self._path)) > SMALL_LOG_BYTES:
            with write_lock, suppress(duckdb.TransactionException):  # the file is busy; closing it checkpoints too
                self._cursor.execute(f'CHECKPOINT "{self._catalog}"')
        self._flush()
        self._follow_in_rounds(journal)

    def follow(self, journal: Journal) -> None:
        """Apply the changes that the journal has now, in order."""
        for n in range(1, len(journal) + 1):
            self.write(partial(_repeat, journal.take()))
            if n % STEP == 0:
                self._flush()
        journal.require_complete()

    def complete(self) -> None:
        """Check the row counts before the new file replaces the old one. Writes are blocked."""
        for table in self._tables:
            old, new = (self._count(name, table) for name in (self._catalog, _ALIAS))
            if old != new:
                raise RuntimeError(f"the new file has {new} rows of {table}, the old one {old}")
        self.save()

    def save(self) -> None:
        """Write everything to the new file and detach it."""
        self._flush()
        self.close()
        if size(log_of(self._copy)):
            raise StoreUnavailable(f"the write-ahead log of {self._copy} is not empty; try again")

    def close(self) -> None:
        """Detach the file. A second call does nothing."""
        with suppress(duckdb.Error):  # after a fatal error every statement fails; the first error is reported
            self._cursor.execute("ROLLBACK")
        with suppress(duckdb.Error):
            self._cursor.execute(f'USE "{self._catalog}"')
            self._cursor.execute(f"DETACH {_ALIAS}")

    def _follow_in_rounds(self, journal: Journal) -> None:
        for _ in range(ROUNDS):
            started = self._clock.monotonic()
            self.follow(journal)
            if self._clock.monotonic() - started < SHORT_S:
                return

    def _flush(self) -> None:
        """Write everything to the disk."""
        self._cursor.execute(f"CHECKPOINT {_ALIAS}")
        sync(self._copy)

    def _empty_tables(self) -> list[str]:
        """Delete the rows that migrations insert into the new file. Return all tables, in the order of creation.

        Raises StoreUnavailable for a table that no migration creates, because the copy would lose it.
        """
        existing, expected = (_table_names(self._cursor, name) for name in (self._catalog, _ALIAS))
        if unknown := sorted(set(existing) - set(expected)):
            raise StoreUnavailable(
                f"the file has tables that driftd did not create: {', '.join(unknown)}; move them to another file"
            )
        for table in existing:
            self._cursor.execute(f"DELETE FROM {_name(_ALIAS, table)}")  # noqa: S608 - names from the catalog
        return existing

    def _count(self, catalog: str, table: str) -> int:
        return int(_value(self._cursor, f"SELECT count(*) FROM {_name(catalog, table)}"))  # noqa: S608 - as above


def _repeat(changes: Sequence[Change], tx: Tx) -> None:
    for change in changes:
        tx.repeat(change)


def _table_names(cursor: duckdb.DuckDBPyConnection, catalog: str) -> list[str]:
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = $catalog AND NOT temporary ORDER BY table_oid"
    return [row[0] for row in cursor.execute(sql, {"catalog": catalog}).fetchall()]


def _copy_table(cursor: duckdb.DuckDBPyConnection, source: str, target: str) -> int:
    copied = int(_value(cursor, f"INSERT INTO {target} BY NAME SELECT * FROM {source}"))  # noqa: S608 - names from the catalog
    stored = _value(cursor, f"SELECT count(*) FROM {source}")  # noqa: S608 - as above
    if copied != stored:
        raise RuntimeError(f"{copied} of {stored} rows of {source} were copied")
    return copied


def _value(cursor: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = cursor.execute(sql).fetchone()
    assert row is not None, "the statement returns one row"
    return row[0]


def _name(catalog: str, table: str) -> str:
    return f'"{catalog}"."main"."{table}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
