"""Compares the rows of a database file with those of a lake: `driftd lake compare`, and the end of an import."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb

from monitor.domain.object_store import LakeData
from monitor.store.lake.imports.opened import opened_lake
from monitor.store.lake.imports.source import open_source
from monitor.store.lake.imports.tables import ImportedTable, imported_tables


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedTable:
    """A table of the file and of the lake. Equal rows have equal digests, in any order. `columns` have other values."""

    table: str
    rows: int
    rows_in_lake: int
    digest: str
    digest_in_lake: str
    columns: tuple[str, ...] = ()

    @property
    def equal(self) -> bool:
        return (self.rows, self.digest) == (self.rows_in_lake, self.digest_in_lake)


def compare_file(
    url: str,
    data: LakeData,
    path: Path,
    *,
    memory_limit_mb: int,
    threads: int | None,
    progress: Callable[[str], None] = lambda _: None,
) -> list[ComparedTable]:
    """Compare every table of what is at `path` with the lake. `progress` receives the name of each table.

    A write of another process to the lake meanwhile, or since its import, is a difference.
    """
    with opened_lake(url, data, "driftd-compare", memory_limit_mb=memory_limit_mb, threads=threads) as connection:
        return compare_tables(connection, imported_tables(connection, open_source(connection, path)), progress)


def compare_tables(
    cursor: duckdb.DuckDBPyConnection, tables: Sequence[ImportedTable], progress: Callable[[str], None]
) -> list[ComparedTable]:
    """Compare every table."""
    found = []
    for table in tables:
        progress(table.name)
        found.append(_compare(cursor, table))
    return found


def _compare(cursor: duckdb.DuckDBPyConnection, table: ImportedTable) -> ComparedTable:
    rows, digest = (0, "0") if table.relation is None else _digest(cursor, table.read, table.relation)
    in_lake, digest_in_lake = _digest(cursor, table.stored, table.target)
    compared = ComparedTable(
        table=table.name, rows=rows, rows_in_lake=in_lake, digest=digest, digest_in_lake=digest_in_lake
    )
    if compared.equal or table.relation is None:
        return compared
    return replace(compared, columns=tuple(each for each in table.columns if _differs(cursor, table, each)))


def _differs(cursor: duckdb.DuckDBPyConnection, table: ImportedTable, column: str) -> bool:
    ours = _digest(cursor, table.expression(column), table.relation or "")
    return ours != _digest(cursor, f'"{column}"', table.target)


def _digest(cursor: duckdb.DuckDBPyConnection, columns: str, relation: str) -> tuple[int, str]:
    """Return the number of rows, and the sum of their hashes."""
    sql = f"SELECT count(*), CAST(coalesce(sum(hash({columns})), 0) AS VARCHAR) FROM {relation}"  # noqa: S608 - names from the catalog
    [(rows, digest)] = cursor.execute(sql).fetchall()
    return rows, digest
