"""The tables of an import on both sides, and how their rows are read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import duckdb

from monitor.errors import ConfigError
from monitor.store.lake.imports.source import RECORDED, ImportSource, missing_tables
from monitor.store.lake.large_tables import LARGE

POSITIONS: Final = ("file_position", "kafka_offset")  # of the sources of records
NO_NUL: Final = "replace(\"{0}\", chr(0), '\ufffd')"  # PostgreSQL stores no text with this character
_COLUMNS: Final = """
SELECT table_name, list(column_name ORDER BY column_index), list(data_type ORDER BY column_index) FROM duckdb_columns()
WHERE database_name IN ('lake', 'control') AND schema_name = 'main' GROUP BY table_name
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedTable:
    """A table of the lake. `columns` are those that the source has, `relation` what follows FROM there, None without
    rows.
    """

    name: str
    columns: tuple[str, ...]
    texts: frozenset[str]
    relation: str | None

    @property
    def is_large(self) -> bool:
        return self.name in LARGE

    @property
    def target(self) -> str:
        return f'{"lake" if self.is_large else "control"}.main."{self.name}"'

    @property
    def stored(self) -> str:
        """Return the columns of the lake, separated by commas."""
        return ", ".join(f'"{column}"' for column in self.columns)

    @property
    def read(self) -> str:
        """Return the expressions of the source that the lake stores in these columns."""
        return ", ".join(self.expression(column) for column in self.columns)

    def expression(self, column: str) -> str:
        """Return the expression of the source for a column."""
        return NO_NUL.format(column) if not self.is_large and column in self.texts else f'"{column}"'


def imported_tables(cursor: duckdb.DuckDBPyConnection, source: ImportSource) -> list[ImportedTable]:
    """Return all tables of the lake: large tables, control tables, the read positions.

    Raises ConfigError when the source lacks a table, or has a table or a column that the lake lacks.
    """
    given = source.tables()
    found = {name: dict(zip(columns, types, strict=True)) for name, columns, types in _columns(cursor)}
    if missing := missing_tables(source, frozenset(found)):
        raise ConfigError(f"{source.name} lacks the tables {', '.join(missing)}; import a whole database")
    _refuse_unknown(source.name, given, found)
    tables = [
        ImportedTable(
            name=name,
            columns=given.get(name, tuple(columns)),
            texts=frozenset(column for column, kind in columns.items() if kind == "VARCHAR"),
            relation=source.relation(name) if name in given else None,
        )
        for name, columns in found.items()
    ]
    return sorted(tables, key=lambda one: (not one.is_large, one.name in POSITIONS, one.name))


def _columns(cursor: duckdb.DuckDBPyConnection) -> list[tuple[str, list[str], list[str]]]:
    return [row for row in cursor.execute(_COLUMNS).fetchall() if row[0] != RECORDED]


def _refuse_unknown(name: str, given: Mapping[str, tuple[str, ...]], found: Mapping[str, Mapping[str, str]]) -> None:
    unknown = [f"{table}.{column}" for table, columns in given.items() for column in columns if table in found]
    unknown = [each for each in unknown if each.split(".")[1] not in found[each.split(".")[0]]]
    unknown += [table for table in given if table not in found]
    if unknown:
        raise ConfigError(
            f"{name} has tables or columns that driftd did not create: {', '.join(sorted(unknown))}; "
            "move them to another file"
        )
