"""Writes the open database into a new file, while others read and write.

DuckDB gives no space back when rows are deleted, and their bytes stay readable in the file. A new file holds nothing
but the rows that were copied, and what was written since.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import duckdb

from monitor.clock import Clock
from monitor.errors import ConfigError, StoreUnavailable
from monitor.store.engine.change_log import Journal
from monitor.store.engine.compact_files import copy_of, remove_copy, require_space, size, sync
from monitor.store.engine.connect import connect, log_of
from monitor.store.engine.transaction import Change, Tx

SHORT_S: Final = 0.5  # what was written meanwhile is brought over in rounds until one takes no longer ...
ROUNDS: Final = 20  # ... or writes come as fast as they can be brought over: the last round is then a long one
STEP: Final = 500  # transactions whose rows may stand in memory alone
SMALL_LOG_BYTES: Final = 2**24  # closing folds the log into the old file: a longer one is folded in before
_ALIAS: Final = "driftd_compaction"
_USED: Final = "SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = current_database()"


class Copy:
    """The new file of an open database, attached beside it on one cursor: `copy_of(path)`.

    The schema comes from the migrations, as that of any new file. First every row of one instant is copied, while
    others write, then their changes since are made in it once more.
    """

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        path: Path,
        *,
        memory_limit_mb: int,
        clock: Clock,
        check_abandoned: Callable[[], None],
    ) -> None:
        """`check_abandoned` raises to end it between two steps."""
        self._cursor, self._path, self._clock, self._go_on = cursor, path, clock, check_abandoned
        self._copy = copy_of(path)
        self._catalog = str(_value(cursor, "SELECT current_database()"))
        remove_copy(path)
        require_space(path, int(_value(cursor, _USED)))
        try:
            connect(self._copy, memory_limit_mb, clock.now()).close()
        except ConfigError as error:  # it names the setting, but what worked at the start is to be tried again
            raise StoreUnavailable(f"{path} cannot be compacted now: {error}") from error
        self._copy.chmod(path.stat().st_mode & 0o777)
        # Without a log: no commit need be on disk before the last checkpoint, and rows must be brought over faster than
        # they are written.
        cursor.execute(f"ATTACH {_quoted(str(self._copy))} AS {_ALIAS} (RECOVERY_MODE no_wal_writes)")
        try:
            self._tables = self._empty_tables()
        except BaseException:
            self.close()
            raise

    def begin(self) -> None:
        """Choose the instant whose rows are copied: it is now. Nothing may be written while this is called."""
        self._cursor.execute("BEGIN TRANSACTION")
        _value(self._cursor, f"SELECT count(*) FROM {_name(self._catalog, 'compaction')}")  # noqa: S608 - a snapshot begins with its first read

    def copy_rows(self) -> None:
        """Copy every row of that instant. Others may write."""
        for table in self._tables:
            self._go_on()
            _copy_table(self._cursor, _name(self._catalog, table), _name(_ALIAS, table))
        self._cursor.execute("COMMIT")
        self._cursor.execute(f"USE {_ALIAS}")

    def write(self, work: Callable[[Tx], None]) -> None:
        """One transaction in the new file alone."""
        self._cursor.execute("BEGIN TRANSACTION")
        work(Tx(self._cursor))
        self._cursor.execute("COMMIT")
        self._go_on()

    def catch_up(self, journal: Journal, write_lock: threading.Lock) -> None:
        """Bring over what was written meanwhile, until little is left. The rest is for when nobody writes."""
        self._flush()
        self._follow_in_rounds(journal)
        if size(log_of(self._path)) > SMALL_LOG_BYTES:
            with write_lock, suppress(duckdb.TransactionException):  # it is busy: closing it does the same
                self._cursor.execute(f'CHECKPOINT "{self._catalog}"')
        self._flush()
        self._follow_in_rounds(journal)

    def follow(self, journal: Journal) -> None:
        """Make the changes that the journal holds by now, in their order."""
        for n in range(1, len(journal) + 1):
            self.write(partial(_repeat, journal.take()))
            if n % STEP == 0:
                self._flush()
        journal.require_complete()

    def complete(self) -> None:
        """The last look before the change of places. Nothing may be written any more."""
        for table in self._tables:
            old, new = (self._count(name, table) for name in (self._catalog, _ALIAS))
            if old != new:
                raise RuntimeError(f"the new file has {new} rows of {table}, the old one {old}")
        self._flush()
        self.close()
        if size(log_of(self._copy)):
            raise StoreUnavailable(f"{self._copy} has not taken its log in; the compaction is tried again")

    def close(self) -> None:
        """Detach the file; twice does nothing."""
        with suppress(duckdb.Error):  # after a fatal error nothing works any more; the first error is the one to tell
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
        """Everything on disk."""
        self._cursor.execute(f"CHECKPOINT {_ALIAS}")
        sync(self._copy)

    def _empty_tables(self) -> list[str]:
        """Every table, in the order of creation, without the rows that migrations leave in the new one.

        A table that the migrations do not make would be lost: refused.
        """
        there, made = (_table_names(self._cursor, name) for name in (self._catalog, _ALIAS))
        if strangers := sorted(set(there) - set(made)):
            raise StoreUnavailable(
                f"the file holds tables that driftd did not make: {', '.join(strangers)}; move them out"
            )
        for table in there:
            self._cursor.execute(f"DELETE FROM {_name(_ALIAS, table)}")  # noqa: S608 - names from the catalog
        return there

    def _count(self, catalog: str, table: str) -> int:
        return int(_value(self._cursor, f"SELECT count(*) FROM {_name(catalog, table)}"))  # noqa: S608 - as above


def _repeat(changes: Sequence[Change], tx: Tx) -> None:
    for change in changes:
        tx.repeat(change)


def _table_names(cursor: duckdb.DuckDBPyConnection, catalog: str) -> list[str]:
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = $catalog AND NOT temporary ORDER BY table_oid"
    return [row[0] for row in cursor.execute(sql, {"catalog": catalog}).fetchall()]


def _copy_table(cursor: duckdb.DuckDBPyConnection, source: str, target: str) -> None:
    copied = _value(cursor, f"INSERT INTO {target} BY NAME SELECT * FROM {source}")  # noqa: S608 - names from the catalog
    held = _value(cursor, f"SELECT count(*) FROM {source}")  # noqa: S608 - as above
    if copied != held:
        raise RuntimeError(f"{copied} of {held} rows of {source} were copied")


def _value(cursor: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = cursor.execute(sql).fetchone()
    assert row is not None, "the statement gives one row"
    return row[0]


def _name(catalog: str, table: str) -> str:
    return f'"{catalog}"."main"."{table}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
