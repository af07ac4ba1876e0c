"""Locks over the processes of a lake, for the time of one write.

- `control`: one process at a time writes control tables, as one write at a time changes a file. Statements ask whether
  a row exists and then insert it, in one write. So a write takes this lock before it reads. The writes of ingest append
  to large tables, and take it only for what they change in control tables after the commit of their rows.
- `rows`: ingest shares it until its rows are committed. A write that updates or removes rows of large tables has it
  alone, because DuckLake refuses an insert when such a write commits in the meantime, and the other way round.

Each has a session of its own: a transaction that waits for a lock would not see what its earlier holder committed.
"""

from contextlib import suppress
from typing import Final, Self

import duckdb

WAIT_S: Final = 30  # a write that does not get a lock in this time can be repeated
FROZEN_S: Final = 60  # PostgreSQL ends the session of a process that is frozen for longer while it has a lock
LONGEST_S: Final = 1800  # the same for a write that removes rows: it reads whole tables
_CONTROL: Final = 7_236_823_906
_ROWS: Final = 7_236_823_907


class AdvisoryLock:
    """A lock of PostgreSQL. It is free until it is taken."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, key: int) -> None:
        self._connection, self._key = connection, key
        self._cursor: duckdb.DuckDBPyConnection | None = None

    @property
    def taken(self) -> bool:
        return self._cursor is not None

    def take(self, *, shared: bool = False, frozen_s: int = FROZEN_S) -> None:
        """Wait until no other process has it, or has it alone when it is to be `shared`."""
        if self._cursor is not None:
            return
        function = "pg_advisory_xact_lock_shared" if shared else "pg_advisory_xact_lock"
        limits = f"lock_timeout = {WAIT_S * 1000}; SET LOCAL idle_in_transaction_session_timeout = {frozen_s * 1000}"
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION")
            cursor.execute(f"CALL postgres_execute('control', 'SET LOCAL {limits}; SELECT {function}({self._key})')")
        except BaseException:
            _close(cursor)
            raise
        self._cursor = cursor

    def release(self) -> None:
        if self._cursor is not None:
            _close(self._cursor)
            self._cursor = None


class WriteLocks:
    """The locks of one write."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.control, self.rows = AdvisoryLock(connection, _CONTROL), AdvisoryLock(connection, _ROWS)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.rows.release()
        self.control.release()


def _close(cursor: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):
        cursor.execute("ROLLBACK")
    cursor.close()
