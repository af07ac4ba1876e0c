"""Generate docs/tables.md from the schema: `python -m monitor.store.backup.describe [--check]`."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

import duckdb

from monitor import generated_docs
from monitor.store.backup.parquet import TIMES, exported_tables
from monitor.store.engine.append_only import VIEWS
from monitor.store.engine.migrations import known_migrations, migrate
from monitor.store.engine.table_scan import table_names

NAME: Final = "tables.md"
TYPES: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "VARCHAR": ("string (UTF-8)", "string"),
        "TIMESTAMP WITH TIME ZONE": ("timestamp, microseconds, UTC", "timestamp"),
        "DOUBLE": ("double", "double"),
        "BIGINT": ("int64", "bigint"),
        "BOOLEAN": ("boolean", "boolean"),
        "BLOB": ("binary", "binary"),
        "DATE": ("date", "date"),
    }
)
HEAD: Final = """# Tables

Every table of an export ([backup.md](backup.md#export-tables)) is one Parquet file with its name and these columns. The
types are those of Parquet; the table of types names those of DuckDB and Spark. Columns such as `input_messages`,
`evidence` and `manifest` contain JSON. Binary columns are encrypted, except `raw` of `dead_letter`. This page is
generated: `python -m monitor.store.backup.describe`.

| Parquet | DuckDB | Spark |
|---|---|---|
{types}
"""


def document() -> str:
    """Return the page."""
    known = known_migrations()
    types = "\n".join(f"| {parquet} | {name} | {spark} |" for name, (parquet, spark) in TYPES.items())
    parts = [HEAD.format(types=types)]
    with duckdb.connect() as connection:
        migrate(connection, known, Path("in memory"), datetime(2026, 1, 1, tzinfo=UTC))
        for name in exported_tables(table_names(connection)):
            time = f"\n`--since` compares `{TIMES[name]}`.\n" if name in TIMES else ""
            parts.append(f"\n## {name}\n{time}\n| column | type | may be null |\n|---|---|---|\n")
            parts += [
                f"| `{column}` | {TYPES[kind][0]} | {'yes' if nullable else 'no'} |\n"
                for column, kind, nullable in _columns(connection, name)
            ]
    return "".join(parts)


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[str, str, bool]]:
    """Return the columns of a table in an export: name, type, and whether it may be null, as the table declares it."""
    sql = (
        "SELECT column_name, data_type, is_nullable FROM duckdb_columns()"
        " WHERE table_name = $name ORDER BY column_index"
    )
    declared = {row[0]: row[2] for row in connection.execute(sql, {"name": table}).fetchall()}
    read = connection.execute(sql, {"name": VIEWS.get(table, table)}).fetchall()
    return [(column, kind, declared[column]) for column, kind, _ in read]


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.store.backup.describe", __doc__, lambda: {NAME: document()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
