"""Appends rows by statements that were planned once: planning one for fifty columns takes as long as 300 rows do."""

from typing import Final

import duckdb
import pyarrow as pa

from monitor.store.engine.schema import TABLES

PLANNED: Final = ("interaction",)  # what comes in by the thousand


class _Rows:
    """What a planned statement reads: the rows of the moment, by Arrow's interface for objects that have a stream."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self.rows: pa.Table | None = None

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return (self.rows or self._schema.empty_table()).__arrow_c_stream__(requested_schema)


class Appender:
    """Belongs to one cursor, outside of any transaction when it is made: what a rollback undoes would be missed."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self._rows = {table: _Rows(TABLES[table]) for table in PLANNED}
        for table, rows in self._rows.items():
            cursor.register(f"rows_of_{table}", rows)
            cursor.execute(f"PREPARE append_{table} AS {append_statement(table, f'rows_of_{table}')}")

    def append(self, table: str, rows: pa.Table) -> int | None:
        """How many rows were appended; None for a table whose statement was not planned, or other columns than its."""
        source = self._rows.get(table)
        if source is None or not rows.schema.equals(TABLES[table]):
            return None
        source.rows = rows
        try:
            return int(self._cursor.execute(f"EXECUTE append_{table}").fetchall()[0][0])
        finally:
            source.rows = None


def append_statement(table: str, rows: str) -> str:
    """The only SQL outside sql/: it is the same for every table. KeyError for one that is none of ours."""
    if table not in TABLES:
        raise KeyError(f"table {table!r} is none of {', '.join(TABLES)}")
    return f'INSERT INTO "{table}" BY NAME SELECT * FROM {rows}'  # noqa: S608 - both are names of ours
