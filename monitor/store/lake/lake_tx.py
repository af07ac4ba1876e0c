"""A write to a lake: the large tables are committed first, then the control tables.

DuckDB refuses a transaction that writes two databases. So a write has two transactions, each of them complete or
without effect. A process that is killed between them leaves rows of large tables without their control rows: code
that writes both must be able to repeat the write.
"""

import re
from contextlib import suppress
from typing import Any, Final

import duckdb
import pyarrow as pa

from monitor.domain.audit import START, Head
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.store.engine.transaction import Row
from monitor.store.engine.used_tables import changed_table
from monitor.store.lake.commit_message import MovesAtCommit, announce
from monitor.store.lake.deferred import Deferred
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.lease import Term
from monitor.store.lake.listed import ListedTx
from monitor.store.lake.write_locks import LONGEST_S, WriteLocks

LAKE: Final = "lake"
CONTROL: Final = "control"
AUDIT_LOG: Final = "audit_entry"
_CHANGES_ROWS: Final = re.compile(r"^\s*(?:UPDATE|DELETE)\b", re.MULTILINE)


class LakeTx(ListedTx):
    """A transaction over the large tables, and after it one over the control tables."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        *,
        limit: DeploymentLimit | None,
        locks: WriteLocks,
        term: Term | None = None,
    ) -> None:
        """PostgreSQL refuses the commits when `term` is over."""
        super().__init__(cursor, limit=limit)
        self._locks, self._term = locks, term
        self.positions = self._moves = MovesAtCommit()
        self._deferred: list[Deferred] = []
        self._writes: str | None = None  # the database that the open transaction changes
        self._large_rows = 0  # changed and not committed
        self.committed_tables: set[str] = set()  # a part of the changed ones, while the write is not at its end
        self.left_deferred = False  # whether a commit stored deferred statements that did not run
        self._head: Head | None = None

    @property
    def audit_head(self) -> Head | None:
        """Return the newest entry of the audit log. The key of the table refuses the second of two next entries."""
        if self._head is None:
            self._head = newest_entry(self._cursor)
        return self._head

    @audit_head.setter
    def audit_head(self, head: Head | None) -> None:
        self._head = head

    def begin(self) -> None:
        self._cursor.execute("BEGIN TRANSACTION")

    def commit(self) -> None:
        """Commit what the block changed. Raises OffsetConflict when a source is not read from its position."""
        self._end_large()
        if self._moves.pending:
            self._moves.store(self)
        if self._deferred:
            self._begin_control()
        self._run_deferred()
        self._commit_control()

    def defer(self, name: str, /, *, batch: pa.Table | None = None, **params: Any) -> None:
        sql = self._text(name)
        self._deferred.append(Deferred.of(sql, batch, params))
        self.changed_tables.add(changed_table(sql))
        self.changed_rows += 1  # it is not known yet how many

    def new_step(self) -> None:
        if self._writes == CONTROL:
            self._commit_control()  # what is deferred waits for the large tables
            self._writes = None
            self.begin()

    def _run(self, sql: str, batch: pa.Table | None, params: Row) -> int:
        table = changed_table(sql)
        if table == AUDIT_LOG and self._head is None:
            self._head = newest_entry(self._cursor)  # before entries are removed: the chain continues after them
        self._enter(LAKE if table in LARGE else CONTROL)
        if table in LARGE and _CHANGES_ROWS.search(sql) and self._large_rows == 0:
            self._begin_removal()
        changed = super()._run(sql, batch, params)
        if self._writes == LAKE:
            self._large_rows += changed
        return changed

    def _enter(self, database: str) -> None:
        """Prepare the transaction for a change of a database."""
        if self._writes == CONTROL and database == LAKE:
            raise RuntimeError("a write to a lake changed a control table before a large table")
        if database == CONTROL:
            self._end_large()
            self._begin_control()
        self._writes = database

    def _begin_control(self) -> None:
        """Take the lock of the control tables, and see what its earlier holder committed."""
        if not self._locks.control.taken:
            self._cursor.execute("COMMIT")  # of nothing
            self._locks.rows.release()
            self._locks.control.take()
            self.begin()

    def _begin_removal(self) -> None:
        """Wait for inserts of other processes, and let their next ones wait: a snapshot from before them would be
        refused.
        """
        if self._locks.control.taken and not self._locks.rows.taken:
            self._cursor.execute("COMMIT")  # of nothing
            self._locks.rows.take(frozen_s=LONGEST_S)
            self.begin()

    def _end_large(self) -> None:
        """Commit the changes of large tables with the moves of sources and the deferred statements, and begin again.

        Without new rows the lake has no commit: moves and deferred statements then belong to the control tables.
        """
        if self._writes != LAKE:
            return
        announced = self._moves.pending or bool(self._deferred) or self._term is not None
        if has_commit := self._large_rows > 0 and announced:
            announce(self._cursor, self._moves, self._deferred, self._term)
            self.left_deferred = bool(self._deferred)
        with self._moves.refusals():
            self._cursor.execute("COMMIT")
        self.committed_tables |= self.changed_tables
        self._writes, self._large_rows = None, 0
        self._locks.rows.release()
        if has_commit and self._deferred:
            self._locks.control.take()
        self.begin()
        if has_commit:
            self._moves.done()
            self._run_deferred()
            self._cursor.execute("COMMIT")  # whatever happens to the rest of the write
            self.committed_tables |= self.changed_tables
            self.left_deferred = False
            self.begin()

    def _commit_control(self) -> None:
        if self._term is not None and self.changed_rows:
            require_lease(self._cursor, self._term)
        self._cursor.execute("COMMIT")
        self.committed_tables |= self.changed_tables

    def _run_deferred(self) -> None:
        for one in self._deferred:
            one.run(self._cursor)
        self._deferred = []


def require_lease(cursor: duckdb.DuckDBPyConnection, term: Term) -> None:
    """Fail in PostgreSQL unless the term lasts, and let it last until the commit of the open transaction."""
    cursor.execute(f"CALL postgres_execute('control', 'SELECT commits.require_lease(''{term.name}'', {term.epoch})')")


def roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    """Undo the open transaction, if there is one."""
    with suppress(duckdb.Error):  # a failed commit has ended the transaction already
        cursor.execute("ROLLBACK")


def newest_entry(cursor: duckdb.DuckDBPyConnection) -> Head:
    """Return the newest entry of the audit log."""
    row = cursor.execute("SELECT number, hash FROM control.main.audit_entry ORDER BY number DESC LIMIT 1").fetchone()
    return START if row is None else Head(number=row[0], hash=row[1])
