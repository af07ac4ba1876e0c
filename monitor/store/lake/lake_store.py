"""A store of several processes: the large tables in DuckLake, the control tables in PostgreSQL."""

import logging
import threading
import uuid
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Final, Self

import duckdb

from monitor.clock import Clock
from monitor.domain.audit import Head
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.lake_address import LakeAddress
from monitor.domain.object_store import LakeData
from monitor.errors import LeaseLost, ReadInterrupted, StoreUnavailable, unknown
from monitor.store.access.request_entry import CURRENT as CURRENT_REQUEST
from monitor.store.engine.connections import CLOSE_WAIT_S
from monitor.store.engine.database import Store
from monitor.store.engine.disk_reserve import NoReserve
from monitor.store.engine.interruption import CURRENT, Interruption, OpenReads
from monitor.store.engine.table_scan import TableScan, scan_table
from monitor.store.engine.transaction import Tx
from monitor.store.lake.connect import SEARCH_PATH, connect_lake
from monitor.store.lake.deferred import ABANDONED_S, abandoned
from monitor.store.lake.lake_tx import LakeTx, newest_entry, require_lease, roll_back
from monitor.store.lake.lease import (
    EXPIRES_S,
    REFUSED,
    RENEW_S,
    Argument,
    Lease,
    Term,
    call_for_document,
    call_function,
)
from monitor.store.lake.leased_store import LeasedStore
from monitor.store.lake.listed import ListedTx
from monitor.store.lake.literal import literal
from monitor.store.lake.objects.problems import described
from monitor.store.lake.temporary import is_temporary
from monitor.store.lake.write_locks import AdvisoryLock, WriteLocks
from monitor.store.lake.written import Writes, read_others

log = logging.getLogger(__name__)
_PROBE: Final = "COPY (SELECT 1 AS probe) TO {} (FORMAT json, USE_TMP_FILE false)"
SIZE: Final = """
SELECT * FROM postgres_query(
    'control',
    'SELECT pg_database_size(current_database()) + coalesce((
        SELECT sum(file_size_bytes) FROM lake.ducklake_data_file WHERE end_snapshot IS NULL
    ), 0)::bigint'
)
"""


class LakeStore(Store):
    """A lake. Reads continue during a write, also of other processes.

    A read sees one snapshot of the large tables and one of the control tables. A commit between the first statements
    on each of them is in one of the two only.
    """

    kind = "lake"

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, clock: Clock, session: str, name: str, data: LakeData
    ) -> None:
        self.data = data  # where its Parquet files are
        self._connection = connection
        self._session, self._name = session, name
        self._lock = threading.Lock()  # of writes of this process
        self._users = threading.Condition()  # protects the two fields below
        self._open_cursors = 0
        self._closed = False
        self._reads = OpenReads(clock.monotonic)
        self._clock = clock
        self._writes = Writes(clock.monotonic)
        self._looked_s: float | None = None  # when statements of ended processes were last run; None: not yet

    @classmethod
    def open_lake(cls, url: str, data: LakeData, *, memory_limit_mb: int, threads: int | None, clock: Clock) -> Self:
        """Open the lake whose PostgreSQL database is at `url` and whose files are in `data`.

        Raises StoreUnavailable when it cannot be reached now, SchemaTooNew when a newer driftd wrote it, ConfigError
        when it does not exist or an extension of DuckDB is missing.
        """
        session = f"driftd-{uuid.uuid4()}"
        connection = connect_lake(url, data, memory_limit_mb=memory_limit_mb, threads=threads, session=session)
        return cls(connection, clock, session, LakeAddress.of(url).shown, data)

    @property
    def name(self) -> str:
        return self._name

    @property
    def session(self) -> str:
        """Return the name of this process, under which PostgreSQL knows its sessions and leases."""
        return self._session

    @property
    def disk(self) -> NoReserve:
        return NoReserve()

    def bytes_stored(self) -> int:
        """Return the size of the current Parquet files and of the PostgreSQL database in bytes."""
        with self._cursor("read") as cursor:
            [(size,)] = cursor.execute(SIZE).fetchall()
        return int(size)

    @property
    def written(self) -> Mapping[str, int]:
        """Return a number for each table. A write of another process counts up to 11 s after its commit."""
        return self._writes.by_table(self._read_others)

    def _read_others(self) -> dict[str, int]:
        with self._cursor("read") as cursor:
            return read_others(cursor)

    @property
    def shared(self) -> bool:
        return True

    @property
    def compacting(self) -> bool:
        return False

    @property
    def audit_head(self) -> Head:
        with self._cursor("read") as cursor:
            return newest_entry(cursor)

    @contextmanager
    def read(self) -> Iterator[Tx]:
        interruption = CURRENT.get() or Interruption()
        with self._cursor("read") as cursor, self._reads.covers(cursor), interruption.covers(cursor):
            cursor.execute("BEGIN TRANSACTION READ ONLY")
            try:
                yield ListedTx(cursor, limit=CURRENT_LIMIT.get())
            finally:
                roll_back(cursor)

    def write(self) -> AbstractContextManager[Tx]:
        return self.write_in(None)

    def append(self) -> AbstractContextManager[Tx]:
        return self.write_in(None, alone=False)

    def lease(self, name: str, *, renew_s: float = RENEW_S, expires_s: float = EXPIRES_S) -> Lease:
        """Return a lease of this process. It is not held before it is started."""
        return Lease(
            name,
            self._session,
            self.call,
            monotonic=self._clock.monotonic,
            renew_s=renew_s,
            expires_s=expires_s,
        )

    def under(self, lease: Lease) -> Store:
        """Return this store for work that only the holder of the lease may do."""
        return LeasedStore(self, lease)

    @contextmanager
    def write_in(self, term: Term | None, *, alone: bool = True) -> Iterator[Tx]:
        """Yield a write as `write` does, or as `append` does unless it is `alone`. Raises LeaseLost when the term of a
        lease is over at one of its commits.
        """
        with self._lock, self._cursor("written") as cursor, WriteLocks(self._connection) as locks:
            tx = LakeTx(cursor, limit=CURRENT_LIMIT.get(), term=term, locks=locks)
            request = CURRENT_REQUEST.get()
            if alone:
                locks.control.take()
            self._finish_others(cursor, locks.control)
            if not alone:
                locks.rows.take(shared=True)
            tx.begin()
            try:
                yield tx
                tx.limit = None  # the entry of the audit log is the daemon's own
                if request is not None and tx.changed_rows:
                    request.before_commit(tx)
                tx.commit()
            except BaseException as error:
                self._writes.count(tx.committed_tables)
                if tx.left_deferred:
                    self._looked_s = None
                self.end_failed(cursor, term, error)
                raise
            self._writes.count(tx.committed_tables)
            if request is not None and tx.changed_rows:
                request.after_commit()

    def maintained(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        """Lend a cursor for maintenance (`monitor/store/lake/maintain.py`)."""
        return self._cursor("maintained")

    def end_failed(self, cursor: duckdb.DuckDBPyConnection, term: Term | None, error: BaseException) -> None:
        """Undo the open transaction. Raises LeaseLost when it failed because the term of its writer is over."""
        roll_back(cursor)
        if term is not None and isinstance(error, duckdb.Error) and _is_over(cursor, term, error):
            raise LeaseLost(f"another process holds the lease {term.name} now") from error

    def _finish_others(self, cursor: duckdb.DuckDBPyConnection, control: AdvisoryLock) -> None:
        """Run what processes deferred and did not run before their end. It looks for it once a minute.

        The first write runs all that waits, and so does the write after one that left statements: what this process
        does next may depend on them. PostgreSQL refuses the second of two processes that run the same statement.
        """
        now_s = self._clock.monotonic()
        if self._looked_s is not None and now_s - self._looked_s < ABANDONED_S:
            return
        for one in abandoned(cursor, 0 if self._looked_s is None else ABANDONED_S):
            control.take()
            cursor.execute("BEGIN TRANSACTION")
            try:
                one.run(cursor)
                cursor.execute("COMMIT")
            except duckdb.Error as error:
                roll_back(cursor)
                log.warning("a deferred statement cannot be run now, it is tried again in a minute: %s", error)
            except BaseException:
                roll_back(cursor)
                raise
        self._looked_s = now_s

    def table_names(self) -> list[str]:
        sql = (
            "SELECT table_name FROM duckdb_tables() WHERE database_name IN ('lake', 'control') AND schema_name = 'main'"
        )
        with self._cursor("read") as cursor:
            return sorted(row[0] for row in cursor.execute(sql).fetchall())

    def scan_table(self, table: str) -> TableScan:
        if table not in (names := self.table_names()):
            raise unknown("table", table, names)
        with self._cursor("read") as cursor, self._reads.covers(cursor):
            return scan_table(cursor, table)

    def interrupt_reads(self, older_than_s: float) -> int:
        return self._reads.interrupt(older_than_s)

    def probe(self) -> None:
        with self._cursor("written") as cursor:
            cursor.execute("SELECT * FROM postgres_query('control', 'SELECT 1')").fetchall()
            cursor.execute(_PROBE.format(literal(f"{self.data}/driftd-probe.json")))

    def close(self) -> None:
        with self._lock, self._users:
            if self._closed:
                return
            self._closed = True
            self._users.wait_for(lambda: self._open_cursors == 0, timeout=CLOSE_WAIT_S)
            self._connection.close()

    @contextmanager
    def _cursor(self, what: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """Lend a cursor to one caller. Raises StoreUnavailable when the same operation can succeed later."""
        with self._users:
            if self._closed:
                raise StoreUnavailable("the lake is closed: driftd is shutting down")
            cursor = self._connection.cursor()
            self._open_cursors += 1
        try:
            cursor.execute(SEARCH_PATH)
            yield cursor
        except duckdb.InterruptException as error:
            raise ReadInterrupted(
                "a query of the lake was interrupted: its client disconnected or driftd stops"
            ) from error
        except duckdb.Error as error:
            if not is_temporary(error):
                raise
            raise StoreUnavailable(f"the lake cannot be {what} now: {described(error)}") from error
        finally:
            with self._users:
                cursor.close()
                self._open_cursors -= 1
                self._users.notify_all()

    def call(self, function: str, *arguments: Argument) -> int | None:
        """Call a function of the schema `commits` in a transaction of its own, and return its result."""
        with self._cursor("written") as cursor:
            return call_function(cursor, function, *arguments)

    def call_for_document(self, function: str, *arguments: Argument) -> dict[str, Any] | None:
        """Do the same for a function that returns a JSON object."""
        with self._cursor("written") as cursor:
            return call_for_document(cursor, function, *arguments)


def _is_over(cursor: duckdb.DuckDBPyConnection, term: Term, error: duckdb.Error) -> bool:
    """Return whether a commit failed because the term of its writer is over."""
    if REFUSED in str(error):
        return True
    try:
        require_lease(cursor, term)
    except duckdb.Error as now:
        return REFUSED in str(now)
    return False
