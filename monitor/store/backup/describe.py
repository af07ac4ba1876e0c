"""Generate docs/tables.md from the schema: `python -m monitor.store.backup.describe [--check]`."""

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Final

import duckdb

from monitor import generated_docs
from monitor.store.backup.parquet import TIMES
from monitor.store.engine.migrations import known_migrations, migrate

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
        rows = connection.execute(
            "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() WHERE NOT internal"
            " AND table_name IN (SELECT table_name FROM duckdb_tables()) ORDER BY table_name, column_index"
        ).fetchall()
    table = ""
    for name, column, kind, nullable in rows:
        if name != table:
            table = name
            time = f"\n`--since` compares `{TIMES[name]}`.\n" if name in TIMES else ""
            parts.append(f"\n## {name}\n{time}\n| column | type | may be null |\n|---|---|---|\n")
        parts.append(f"| `{column}` | {TYPES[kind][0]} | {'yes' if nullable else 'no'} |\n")
    return "".join(parts)


def main(arguments: Sequence[str] | None = None) -> int:
    return generated_docs.run("monitor.store.backup.describe", __doc__, lambda: {NAME: document()}, arguments)


if __name__ == "__main__":
    sys.exit(main())
