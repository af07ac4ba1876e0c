"""Appends rows with prepared statements: planning a statement of fifty columns takes as long as inserting 300 rows."""

from typing import Final

import duckdb
import pyarrow as pa

from monitor.store.engine.schema import TABLES

PLANNED: Final = ("interaction",)  # tables with a high insert rate


class _Rows:
    """The source of a prepared statement: the current rows, through Arrow's stream interface."""

    def __init__(self, schema: pa.Schema) -> None:
        self._schema = schema
        self.rows: pa.Table | None = None

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return (self.rows or self._schema.empty_table()).__arrow_c_stream__(requested_schema)


class Appender:
    """The prepared statements of one cursor. Create it outside a transaction, because a rollback would remove them."""

    def __init__(self, cursor: duckdb.DuckDBPyConnection) -> None:
        self._cursor = cursor
        self._rows = {table: _Rows(TABLES[table]) for table in PLANNED}
        for table, rows in self._rows.items():
            cursor.register(f"rows_of_{table}", rows)
            cursor.execute(f"PREPARE append_{table} AS {append_statement(table, f'rows_of_{table}')}")

    def append(self, table: str, rows: pa.Table) -> int | None:
        """Return the number of appended rows; None when the table has no prepared statement, or the columns differ."""
        source = self._rows.get(table)
        if source is None or not rows.schema.equals(TABLES[table]):
            return None
        source.rows = rows
        try:
            return int(self._cursor.execute(f"EXECUTE append_{table}").fetchall()[0][0])
        finally:
            source.rows = None


def append_statement(table: str, rows: str) -> str:
    """Return the INSERT statement of a table, the only SQL outside sql/. Raises KeyError for an unknown table."""
    if table not in TABLES:
        raise KeyError(f"table {table!r} is not one of {', '.join(TABLES)}")
    return f'INSERT INTO "{table}" BY NAME SELECT * FROM {rows}'  # noqa: S608 - both names are constants
