"""One transaction on one cursor: runs named statements and appends columns."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Protocol

import duckdb
import pyarrow as pa

from monitor.domain.audit import Head
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.store.engine.append_only import VIEWS, fact_of, joined_with_facts, without_facts
from monitor.store.engine.prepared_insert import Appender, append_statement
from monitor.store.engine.statements import statement
from monitor.store.engine.used_tables import changed_table, record_statement
from monitor.store.engine.visible_rows import check_rows, limited
from monitor.store.traffic.recent_ids import RecentIds

if TYPE_CHECKING:
    from monitor.store.traffic.file_positions import FileMove
    from monitor.store.traffic.source_positions import OffsetMove

Row = dict[str, Any]
ANY_FACT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "dead_letter": statement("any_dead_letter_end"),
        "feedback": statement("any_feedback_fact"),
        "interaction": statement("any_interaction_end"),
        "outcome": statement("any_outcome_end"),
        "score": statement("any_score_end"),
        "span_content": statement("any_span_content_end"),
        "turn_signal": statement("any_turn_signal_end"),
    }
)
"""The statement that searches a fact about the rows of a table, by table."""
BATCH = "batch"  # the name of the Arrow table in a statement


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A statement that changed `rows` rows, with its parameters. Repeated on the same rows, it has the same effect."""

    sql: str
    batch: pa.Table | None
    params: Row
    rows: int


class Kept(Protocol):
    """The state that the write cursor keeps between writes."""

    appender: Appender
    recent: RecentIds | None
    settled_until: datetime | None


class Positions(Protocol):
    """Moves the read positions of sources with the commit. `monitor/store/traffic/source_positions.py` and
    `file_positions.py` have the moves.
    """

    def move_offsets(self, moves: "Sequence[OffsetMove]") -> None: ...

    def move_files(self, moves: "Sequence[FileMove]") -> None: ...


class Tx:
    """A transaction. Rows are dicts; timestamps have the time zone UTC.

    Reads go through Arrow, because DuckDB's conversion of TIMESTAMPTZ to Python needs pytz.
    """

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        changes: list[Change] | None = None,
        *,
        kept: Kept | None = None,
        audit_head: Head | None = None,
        limit: DeploymentLimit | None = None,
    ) -> None:
        """`changes` receives the changes of this transaction, in order; None records nothing. `audit_head` is the
        newest entry of the audit log; without it, no entry can be appended. `limit` is that of the request.
        """
        self._cursor = cursor
        self._changes = changes
        self.kept = kept
        self.audit_head = audit_head
        self.changed_rows = 0
        self.changed_tables: set[str] = set()
        self.limit = limit
        self.positions: Positions | None = None  # None: statements move them
        self.appended_facts: set[str] = set()  # tables
        self._has_facts: dict[str, bool] = {}  # by table, as searched since the last change

    def query(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> list[Row]:
        """Return all rows of the statement `sql/<name>.sql`. The statement reads `batch` under that name."""
        found = self.table(name, batch=batch, **params)
        rows: list[Row] = found.to_pylist()
        stamps = [field.name for field in found.schema if pa.types.is_timestamp(field.type)]
        return [_in_utc(row, stamps) for row in rows] if stamps else rows

    def table(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> pa.Table:
        """Return the result of a statement as columns, for computations."""
        sql, params = self._bound(name, params)
        with self._registered(batch):
            return self._cursor.sql(sql, params=params or None).to_arrow_table()

    def batches(self, name: str, /, *, rows: int, **params: Any) -> Iterator[pa.RecordBatch]:
        """Yield the result of a statement in batches of about `rows` rows, for results that are too large for memory.

        Use the transaction for other statements only after the last batch.
        """
        sql, params = self._bound(name, params)
        found: pa.RecordBatchReader = self._cursor.sql(sql, params=params or None).to_arrow_reader(rows)
        yield from found

    def one(self, name: str, /, **params: Any) -> Row | None:
        """Return the first row, None when there is none."""
        rows = self.query(name, **params)
        return rows[0] if rows else None

    def execute(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> int:
        """Run a statement that changes rows, and return their number. The statement reads `batch` under that name."""
        changed = self._run(self._text(name), batch, params)
        if changed and (table := fact_of(statement(name))):
            self.appended_facts.add(table)
        return changed

    def defer(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> None:
        """Run a statement that changes control tables because this write changes large tables. In a lake it runs after
        the commit of the large tables, even when this process is killed in between. Parameters are texts, numbers and
        lists of these.
        """
        self.execute(name, batch=batch, **params)

    def new_step(self) -> None:
        """Allow changes of large tables after changes of control tables. A lake commits what was changed until here.
        So the whole write must have the same result when it is repeated after an interruption.
        """

    def insert(self, table: str, columns: pa.Table) -> int:
        """Append columns to a table, and return the number of rows."""
        if self.limit is not None:
            check_rows(table, columns, self.limit)
        sql = append_statement(table, BATCH)
        appended = self.kept.appender.append(table, columns) if self.kept else None
        if appended is None:
            return self._run(sql, columns, {})
        return self._record(Change(sql=sql, batch=columns, params={}, rows=appended))

    def repeat(self, change: Change) -> None:
        """Apply a change in a copy of the database. Raises RuntimeError when it changes another number of rows."""
        changed = self._run(change.sql, change.batch, change.params)
        if changed != change.rows:
            raise RuntimeError(f"changed {changed} rows instead of {change.rows}: {change.sql}")

    @contextmanager
    def within(self, limit: DeploymentLimit | None) -> Iterator[None]:
        """Limit the statements of the block to the visible rows of another sender than that of the transaction."""
        outer, self.limit = self.limit, limit
        try:
            yield
        finally:
            self.limit = outer

    def waiting_facts(self, tables: Collection[str] = VIEWS.keys()) -> frozenset[str]:
        """Return those of the tables with facts that are not folded into their rows."""
        for table in tables:
            if table not in self._has_facts:
                self._has_facts[table] = bool(self._cursor.execute(ANY_FACT[table]).fetchall())
        return frozenset(table for table in tables if self._has_facts[table])

    def _bound(self, name: str, params: Row) -> tuple[str, Row]:
        """Return a statement that reads, and its parameters."""
        return self._text(name), params

    def _text(self, name: str) -> str:
        record_statement(name)
        sql = statement(name)
        if tables := joined_with_facts(sql):
            sql = without_facts(sql, self.waiting_facts(tables))
        return sql if self.limit is None else limited(sql, self.limit)

    def _run(self, sql: str, batch: pa.Table | None, params: Row) -> int:
        with self._registered(batch):
            counted = self._cursor.execute(sql, params or None).fetchall()
        return self._record(Change(sql=sql, batch=batch, params=params, rows=int(counted[0][0])))

    def _record(self, change: Change) -> int:
        self._has_facts.clear()
        if change.rows:
            self.changed_rows += change.rows
            self.changed_tables.add(changed_table(change.sql))
            if self._changes is not None:
                self._changes.append(change)
        return change.rows

    @contextmanager
    def _registered(self, batch: pa.Table | None) -> Iterator[None]:
        if batch is None:
            yield
            return
        self._cursor.register(BATCH, batch)
        yield  # an error ends the transaction and the use of the cursor: nothing to unregister
        self._cursor.unregister(BATCH)


def _in_utc(row: Row, stamps: list[str]) -> Row:
    for name in stamps:
        value: datetime | None = row[name]
        row[name] = value and value.astimezone(UTC)
    return row
