"""Exports tables as Parquet files, and imports such an export into a new database."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

import duckdb

from monitor.store.engine.append_only import FACTS, VIEWS
from monitor.store.engine.commit_mark import Mark
from monitor.store.engine.migrations import known_migrations, migrate
from monitor.store.engine.table_scan import table_names
from monitor.store.engine.transaction import Tx
from monitor.store.engine.watermark import mark_in

SUFFIX: Final = ".parquet"
GROUP_ROWS: Final = 10_000  # rows that a reader of the file holds in memory
RECORDED: Final = "schema_migration"  # migrations write it, never an import
TIMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "interaction": "started_at",
        "span_content": "received_at",
        "span_context": "received_at",
        "span_link": "received_at",
        "feedback": "at",
        "dead_letter": "received_at",
        "turn_signal": "at",
        "candidate": "proposed_at",
        "run": "planned_at",
        "outcome": "started_at",
        "finding": "at",
        "notification": "planned_at",
        "audit_entry": "at",
    }
)
"""The column that `since` of an export compares, by table. Other tables are exported completely."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedRows:
    """What an export contains: the number of rows by table, and the newest commit of its snapshot."""

    tables: Mapping[str, int]
    mark: Mark


def exported_tables(tables: Sequence[str]) -> list[str]:
    """Return the tables that an export may contain. The facts of a table are in the file of the table."""
    return [table for table in tables if table not in FACTS]


def export(
    cursor: duckdb.DuckDBPyConnection, folder: Path, tables: Sequence[str], since: datetime | None
) -> ExportedRows:
    """Write one file for each table, with the facts about its rows. The cursor is in a transaction, whose snapshot is
    exported.
    """
    mark = mark_in(Tx(cursor))
    assert mark is not None, "an open store has a watermark"
    rows = {table: _export(cursor, folder / (table + SUFFIX), table, since) for table in tables}
    return ExportedRows(tables=rows, mark=mark)


def _export(cursor: duckdb.DuckDBPyConnection, file: Path, table: str, since: datetime | None) -> int:
    limited = f" WHERE \"{TIMES[table]}\" >= TIMESTAMPTZ '{since.isoformat()}'" if since and table in TIMES else ""
    [(rows,)] = cursor.execute(
        f'COPY (SELECT * FROM "{VIEWS.get(table, table)}"{limited}) TO {_quoted(file)} '  # noqa: S608 - names from the catalog
        f"(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE {GROUP_ROWS})"
    ).fetchall()
    file.chmod(0o600)
    return int(rows)


def read_into(
    connection: duckdb.DuckDBPyConnection, files: Mapping[str, Path], version: int, path: Path, now: datetime
) -> dict[str, int]:
    """Create the tables of schema `version` in an empty database, and insert the rows of `files`, by table.

    Return the number of rows by table. The next start of driftd applies newer migrations.
    """
    migrate(connection, [each for each in known_migrations() if each.version <= version], path, now)
    counts = {}
    for table in sorted(set(files) & set(table_names(connection))):
        if table == RECORDED:
            continue
        connection.execute("BEGIN TRANSACTION")
        connection.execute(f'DELETE FROM "{table}"')  # noqa: S608 - names from the catalog
        source = f"read_parquet({_quoted(files[table])})"
        [(rows,)] = connection.execute(f'INSERT INTO "{table}" BY NAME SELECT * FROM {source}').fetchall()  # noqa: S608 - as above
        connection.execute("COMMIT")
        counts[table] = int(rows)
    connection.execute("CHECKPOINT")
    return counts


def _quoted(path: Path) -> str:
    return "'" + str(path).replace("'", "''") + "'"
