"""One process at a time writes the control tables of a lake, as one write at a time changes a file.

Statements ask whether a row exists and then insert it, in one write. So a write takes a lock in PostgreSQL before it
reads, and keeps it until its last commit. The lock has a session of its own: a transaction that waits for a lock would
not see what its earlier holder committed. The writes of ingest append to large tables, which no key protects, and take
the lock only for what they change in control tables.
"""

from contextlib import suppress
from typing import Final, Self

import duckdb

WAIT_S: Final = 30  # a write that does not get the lock in this time can be repeated
FROZEN_S: Final = 60  # PostgreSQL ends the session of a process that is frozen for longer while it has the lock
_KEY: Final = 7_236_823_906  # of driftd in the database
_TAKE: Final = (
    f"CALL postgres_execute('control', 'SET LOCAL lock_timeout = {WAIT_S * 1000};"
    f" SET LOCAL idle_in_transaction_session_timeout = {FROZEN_S * 1000}; SELECT pg_advisory_xact_lock({_KEY})')"
)


class ControlLock:
    """The lock of one write. It is free until it is taken."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._cursor: duckdb.DuckDBPyConnection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._cursor is not None:
            _roll_back(self._cursor)
            self._cursor.close()

    @property
    def taken(self) -> bool:
        return self._cursor is not None

    def take(self) -> None:
        """Wait for the writes of other processes, and let their next ones wait until the end of this one."""
        if self._cursor is not None:
            return
        cursor = self._connection.cursor()
        try:
            cursor.execute("BEGIN TRANSACTION")
            cursor.execute(_TAKE)
        except BaseException:
            _roll_back(cursor)
            cursor.close()
            raise
        self._cursor = cursor


def _roll_back(cursor: duckdb.DuckDBPyConnection) -> None:
    with suppress(duckdb.Error):
        cursor.execute("ROLLBACK")
