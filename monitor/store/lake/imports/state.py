"""The progress of an import, in PostgreSQL (`sql/lake/imports.sql`)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Final

import duckdb

from monitor.store.lake.commit_message import set_message
from monitor.store.lake.imports.unfinished import Import
from monitor.store.lake.lease import Term
from monitor.store.lake.literal import literal

_TABLES: Final = "SELECT name, read_to, stored, ends_at, total FROM control.commits.imported_table"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableProgress:
    """The rows of a table: those at positions before `read_to` are stored, the last one is before `ends_at`."""

    name: str
    read_to: int
    stored: int
    ends_at: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """The next batch of a table: its positions, from `before` to one before `after`, and its number of rows."""

    table: str
    before: int
    after: int
    rows: int


def progress(cursor: duckdb.DuckDBPyConnection) -> dict[str, TableProgress]:
    """Return the progress of each table."""
    names = ("name", "read_to", "stored", "ends_at", "total")
    rows = cursor.execute(_TABLES).fetchall()
    return {row[0]: TableProgress(**dict(zip(names, row, strict=True))) for row in rows}


def begin(cursor: duckdb.DuckDBPyConnection, begun: Import, ends: Mapping[str, tuple[int, int]]) -> None:
    """Store a new import. `ends` has the end of the positions and the number of rows of each table."""
    rows = ", ".join(f"({literal(name)}, 0, 0, {end}, {total})" for name, (end, total) in ends.items())
    at = literal(begun.began_at.isoformat())
    values = f"{literal(begun.fingerprint)}, {literal(begun.source)}, {at}"
    _run(
        cursor,
        f"INSERT INTO commits.import (fingerprint, source, began_at) VALUES ({values}); "  # noqa: S608 - literals
        f"INSERT INTO commits.imported_table (name, read_to, stored, ends_at, total) VALUES {rows}",
    )


def forget(cursor: duckdb.DuckDBPyConnection) -> None:
    """Remove an import that stored no row."""
    _run(cursor, "DELETE FROM commits.imported_table; DELETE FROM commits.import")


def end(cursor: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Store that the import is complete."""
    _run(cursor, f"UPDATE commits.import SET ended_at = {literal(now.isoformat())}")  # noqa: S608 - a literal


def announce_move(cursor: duckdb.DuckDBPyConnection, term: Term, move: Move) -> None:
    """Let the next commit of the lake move the position of a table."""
    set_message(cursor, "import", term, imported=[asdict(move)])


def store_move(cursor: duckdb.DuckDBPyConnection, move: Move) -> None:
    """Move the position of a table in the open transaction of PostgreSQL."""
    _run(cursor, f"SELECT commits.move_import({literal(move.table)}, {move.before}, {move.after}, {move.rows})")


def _run(cursor: duckdb.DuckDBPyConnection, sql: str) -> None:
    cursor.execute(f"CALL postgres_execute('control', {literal(sql)})")
