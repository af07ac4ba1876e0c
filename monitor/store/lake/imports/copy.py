"""Imports a database file into a new lake: `driftd lake import`.

Each batch of rows is one commit, which also moves the position of its table. So an import that is killed continues
with the next batch, and no row is stored twice. Large tables come first, the read positions of sources last.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import duckdb

from monitor.clock import Clock
from monitor.domain.object_store import LakeData
from monitor.errors import ConfigError, LeaseLost, StoreUnavailable
from monitor.store.lake.alone import alone, require_no_others
from monitor.store.lake.imports import state
from monitor.store.lake.imports.compare import ComparedTable, compare_tables
from monitor.store.lake.imports.opened import opened_lake
from monitor.store.lake.imports.source import ImportSource, open_source
from monitor.store.lake.imports.state import TableProgress
from monitor.store.lake.imports.tables import ImportedTable, imported_tables
from monitor.store.lake.imports.unfinished import Import, import_of
from monitor.store.lake.lake_tx import require_lease, roll_back
from monitor.store.lake.lease import EXPIRES_S, REFUSED, Lease
from monitor.store.lake.migrate import session_name
from monitor.store.lake.temporary import is_temporary

BATCH_ROWS: Final = 100_000  # of a commit, which makes a file
WHAT: Final = "import"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """A table at work: `rows` of `total` of all tables are stored. When it is `compared`, all rows are stored."""

    table: str
    rows: int
    total: int
    compared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The result. `continued`: an earlier call stored a part. `added` rows were stored by this call."""

    source: str
    continued: bool
    added: int
    tables: tuple[ComparedTable, ...]

    @property
    def equal(self) -> bool:
        return all(one.equal for one in self.tables)


def import_file(
    url: str,
    data: LakeData,
    path: Path,
    *,
    clock: Clock,
    memory_limit_mb: int,
    threads: int | None,
    progress: Callable[[ImportProgress], None] = lambda _: None,
    batch_rows: int = BATCH_ROWS,
    expires_s: float = EXPIRES_S,
) -> Imported:
    """Copy every row of what is at `path`, and compare both sides. When they differ, the import stays unfinished.

    Raises ConfigError when the lake has other rows, when processes use it, or when the source is not that of the
    unfinished import; StoreUnavailable when the same call can continue later.
    """
    session = session_name()
    with (
        _temporary_errors(),
        opened_lake(url, data, session, memory_limit_mb=memory_limit_mb, threads=threads) as connection,
    ):
        source = open_source(connection, path)
        tables = imported_tables(connection, source)
        with alone(connection, session, WHAT, clock=clock, expires_s=expires_s) as lease:
            found = import_of(connection)
            if found is None:
                _begin(connection, session, source, tables, clock)
            else:
                _require_same(found, source)
            added = 0
            if found is None or found.ended_at is None:
                added = _Copy(connection, source, lease, batch_rows, progress).run(tables)
            done = sum(one.stored for one in state.progress(connection).values())
            compared = compare_tables(
                connection,
                tables,
                lambda table: progress(ImportProgress(table=table, rows=done, total=done, compared=True)),
            )
            result = Imported(source=source.name, continued=found is not None, added=added, tables=tuple(compared))
            if result.equal and (found is None or found.ended_at is None):
                lease.required()
                state.end(connection, clock.now())
    return result


def _begin(
    connection: duckdb.DuckDBPyConnection,
    session: str,
    source: ImportSource,
    tables: Sequence[ImportedTable],
    clock: Clock,
) -> None:
    """Begin a new import. From here on no process of driftd opens the lake."""
    for table in tables:
        if connection.execute(f"SELECT 1 FROM {table.target} LIMIT 1").fetchone() is not None:  # noqa: S608 - from the catalog
            raise ConfigError(
                f"the lake has rows (in {table.name}), and a file is imported into an empty lake only; "
                "create another database and an empty folder for its data, and run `driftd lake init`"
            )
    ends = {table.name: _end(connection, source, table) for table in tables}
    begun = Import(fingerprint=source.fingerprint, source=source.name, began_at=clock.now(), ended_at=None)
    state.begin(connection, begun, ends)
    try:
        require_no_others(connection, session, WHAT)  # those that opened the lake before it had an import
    except ConfigError:
        state.forget(connection)
        raise


def _end(cursor: duckdb.DuckDBPyConnection, source: ImportSource, table: ImportedTable) -> tuple[int, int]:
    if table.relation is None:
        return 0, 0
    sql = f"SELECT coalesce(max({source.position}) + 1, 0), count(*) FROM {table.relation}"  # noqa: S608 - as above
    [(end, total)] = cursor.execute(sql).fetchall()
    return end, total


def _require_same(found: Import, source: ImportSource) -> None:
    if found.fingerprint == source.fingerprint:
        return
    if found.ended_at is not None:
        raise ConfigError(f"the lake has the rows of {found.source} already; another file needs another lake")
    raise ConfigError(
        f"{source.name} is not the source of the unfinished import of {found.source}, or was changed since it began at "
        f"{found.began_at:%Y-%m-%d %H:%M:%SZ}; continue with the unchanged source, or create another lake"
    )


class _Copy:
    """Copies the rows that are not stored yet."""

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        source: ImportSource,
        lease: Lease,
        batch_rows: int,
        progress: Callable[[ImportProgress], None],
    ) -> None:
        self._cursor, self._source, self._lease = connection, source, lease
        self._batch_rows, self._progress = batch_rows, progress
        self._rows = self._total = 0

    def run(self, tables: Sequence[ImportedTable]) -> int:
        """Return the number of rows that were stored."""
        begun = state.progress(self._cursor)
        self._rows = before = sum(one.stored for one in begun.values())
        self._total = sum(one.total for one in begun.values())
        for table in tables:
            self._copy(table, begun[table.name])
        return self._rows - before

    def _copy(self, table: ImportedTable, begun: TableProgress) -> None:
        for start in range(begun.read_to, begun.ends_at, self._batch_rows):
            end = min(start + self._batch_rows, begun.ends_at)
            self._rows += self._store(table, start, end)
            self._progress(ImportProgress(table=table.name, rows=self._rows, total=self._total, compared=False))

    def _store(self, table: ImportedTable, start: int, end: int) -> int:
        """Store the rows of a range of positions, and move the position of the table, in one commit."""
        term, position = self._lease.required(), self._source.position
        sql = (
            f"INSERT INTO {table.target} ({table.stored}) SELECT {table.read} FROM {table.relation} "  # noqa: S608 - from the catalog
            f"WHERE {position} >= {start} AND {position} < {end}"
        )
        self._cursor.execute("BEGIN TRANSACTION")
        try:
            [(rows,)] = self._cursor.execute(sql).fetchall()
            move = state.Move(table=table.name, before=start, after=end, rows=rows)
            if rows and table.is_large:
                state.announce_move(self._cursor, term, move)
            else:
                if table.is_large:  # without rows the lake has no commit
                    self._cursor.execute("COMMIT")
                    self._cursor.execute("BEGIN TRANSACTION")
                state.store_move(self._cursor, move)
                require_lease(self._cursor, term)
            self._cursor.execute("COMMIT")
        except BaseException:
            roll_back(self._cursor)
            raise
        return int(rows)


@contextmanager
def _temporary_errors() -> Iterator[None]:
    try:
        yield
    except duckdb.Error as error:
        if REFUSED in str(error):
            raise LeaseLost("another process works on the lake now; run the same command again later") from error
        if is_temporary(error):
            raise StoreUnavailable(f"the lake cannot be written now: {error}; run the same command again") from error
        raise
