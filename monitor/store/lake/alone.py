"""Work on a lake that no other process may use meanwhile: a migration, an import."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import duckdb

from monitor.clock import Clock, SystemClock
from monitor.errors import ConfigError, StoreUnavailable
from monitor.store.lake.lease import EXPIRES_S, RENEW_S, Lease, call_function
from monitor.store.lake.literal import literal

LEASE: Final = "migration"
WAIT_S: Final = 30.0  # for the lease of another process that works alone, or was killed
_OTHERS: Final = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE 'driftd-%' AND application_name <> {}
"""


@contextmanager
def alone(
    connection: duckdb.DuckDBPyConnection,
    session: str,
    what: str,
    *,
    clock: Clock | None = None,
    expires_s: float = EXPIRES_S,
) -> Iterator[Lease]:
    """Hold the lease of work that is done alone. `what` is the noun of the work, `session` the name of the sessions of
    `connection`. After a killed process it waits until its lease has expired, and ends its sessions.

    Raises ConfigError when other processes use the lake, StoreUnavailable when another one holds the lease.
    """
    lease = Lease(
        LEASE,
        session,
        lambda function, *arguments: call_function(connection.cursor(), function, *arguments),
        monotonic=(clock or SystemClock()).monotonic,
        renew_s=min(RENEW_S, expires_s / 5),
        expires_s=expires_s,
    )
    lease.start()
    try:
        if not lease.wait(WAIT_S):
            raise StoreUnavailable("another process migrates the lake or imports into it now; try again later")
        require_no_others(connection, session, what)
        yield lease
    finally:
        lease.stop()


def require_no_others(connection: duckdb.DuckDBPyConnection, session: str, what: str) -> None:
    """Raise ConfigError while another process of driftd is connected."""
    sql = _OTHERS.format(literal(session))
    [(others,)] = connection.execute("SELECT * FROM postgres_query('control', $sql)", {"sql": sql}).fetchall()
    if others:
        raise ConfigError(f"other processes of driftd use the lake; stop them before its {what}")
