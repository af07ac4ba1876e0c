"""One transaction on one cursor: it runs named statements and appends columns."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

import duckdb
import pyarrow as pa

from monitor.store.engine.prepared_insert import Appender, append_statement
from monitor.store.engine.statements import statement
from monitor.store.traffic.recent_ids import RecentIds

Row = dict[str, Any]
BATCH = "batch"  # the name under which a statement finds the Arrow table it was given


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A statement that changed `rows` rows, with what it was given. Made again on the same rows it does the same."""

    sql: str
    batch: pa.Table | None
    params: Row
    rows: int


class Kept(Protocol):
    """What the cursor of a write has kept from the writes before."""

    appender: Appender
    recent: RecentIds | None


class Tx:
    """Rows come back as dicts; timestamps are aware and in UTC.

    Reads go through Arrow: DuckDB's own conversion of TIMESTAMPTZ to Python needs pytz.
    """

    def __init__(
        self, cursor: duckdb.DuckDBPyConnection, changes: list[Change] | None = None, *, kept: Kept | None = None
    ) -> None:
        """`changes` is filled with what this transaction changes, in its order; None notes nothing."""
        self._cursor = cursor
        self._changes = changes
        self.kept = kept
        self.changed_rows = 0

    def query(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> list[Row]:
        """Every row that the statement `sql/<name>.sql` gives; it finds `batch` under that name."""
        found = self.table(name, batch=batch, **params)
        rows: list[Row] = found.to_pylist()
        stamps = [field.name for field in found.schema if pa.types.is_timestamp(field.type)]
        return [_in_utc(row, stamps) for row in rows] if stamps else rows

    def table(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> pa.Table:
        """The same as columns, for what is counted on and not looked at."""
        with self._registered(batch):
            return self._cursor.sql(statement(name), params=params or None).to_arrow_table()

    def one(self, name: str, /, **params: Any) -> Row | None:
        """The first row, None when there is none."""
        rows = self.query(name, **params)
        return rows[0] if rows else None

    def execute(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> int:
        """Run a statement that changes rows and give their number; it finds `batch` under that name."""
        return self._run(statement(name), batch, params)

    def insert(self, table: str, columns: pa.Table) -> int:
        """Append columns to a table."""
        sql = append_statement(table, BATCH)
        appended = self.kept.appender.append(table, columns) if self.kept else None
        if appended is None:
            return self._run(sql, columns, {})
        return self._record(Change(sql=sql, batch=columns, params={}, rows=appended))

    def repeat(self, change: Change) -> None:
        """Make a change once more, in a copy of what it was made in. Other rows than then are a bug: RuntimeError."""
        changed = self._run(change.sql, change.batch, change.params)
        if changed != change.rows:
            raise RuntimeError(f"changed {changed} rows instead of {change.rows}: {change.sql}")

    def _run(self, sql: str, batch: pa.Table | None, params: Row) -> int:
        with self._registered(batch):
            counted = self._cursor.execute(sql, params or None).fetchall()
        return self._record(Change(sql=sql, batch=batch, params=params, rows=int(counted[0][0])))

    def _record(self, change: Change) -> int:
        self.changed_rows += change.rows
        if self._changes is not None and change.rows:
            self._changes.append(change)
        return change.rows

    @contextmanager
    def _registered(self, batch: pa.Table | None) -> Iterator[None]:
        if batch is None:
            yield
            return
        self._cursor.register(BATCH, batch)
        yield  # an error aborts the transaction and with it the cursor's use: there is nothing to unregister then
        self._cursor.unregister(BATCH)


def _in_utc(row: Row, stamps: list[str]) -> Row:
    for name in stamps:
        value: datetime | None = row[name]
        row[name] = value and value.astimezone(UTC)
    return row
