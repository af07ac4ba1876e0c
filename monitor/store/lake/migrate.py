"""Migrates a lake to the schema of this driftd: `driftd lake init`.

No other process may use the lake meanwhile. The large tables change first. Their commit stores the number of the
migration in PostgreSQL (`sql/lake/fence.sql`), so a migration that is killed in the middle continues there.
"""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Final
from uuid import uuid4

import duckdb

from monitor.clock import Clock
from monitor.errors import LeaseLost, SchemaTooNew
from monitor.store.engine.migrations import known_migrations
from monitor.store.lake.alone import alone
from monitor.store.lake.commit_message import set_message
from monitor.store.lake.lake_tx import require_lease, roll_back
from monitor.store.lake.lease import REFUSED, Term
from monitor.store.lake.literal import literal
from monitor.store.lake.migrations import LakeMigration, lake_migrations

log = logging.getLogger(__name__)
_VERSION: Final = "SELECT max(version) FROM control.main.schema_migration"
_LARGE_DONE: Final = "SELECT count(*) FROM control.commits.large_migration WHERE version = $version"


def session_name() -> str:
    """Return a name for the sessions of a process in PostgreSQL."""
    return f"driftd-{uuid4()}"


def migrate_lake(
    connection: duckdb.DuckDBPyConnection,
    session: str,
    now: datetime,
    *,
    migrations: Sequence[LakeMigration] | None = None,
    clock: Clock | None = None,
) -> int:
    """Apply the missing migrations, and return their number. `connection` has the lake attached, with sessions of the
    name `session`.

    Raises SchemaTooNew when a newer driftd wrote the lake, ConfigError when other processes use it, StoreUnavailable
    when another process migrates it now.
    """
    wanted = lake_migrations() if migrations is None else migrations
    ours = max((one.version for one in wanted), default=known_migrations()[-1].version)
    if (stored := _stored_version(connection)) > ours:
        raise SchemaTooNew(
            f"the lake has schema version {stored}, this driftd knows up to {ours}; install a newer driftd"
        )
    if stored == ours:
        return 0
    with alone(connection, session, "migration", clock=clock) as lease:
        missing = [one for one in wanted if one.version > _stored_version(connection)]
        for migration in missing:
            _apply(connection.cursor(), migration, lease.required(), now)
            log.info("migrated the lake to schema version %d (%s)", migration.version, migration.of_file.name)
    connection.execute("CALL pg_clear_cache()")
    return len(missing)


def _stored_version(connection: duckdb.DuckDBPyConnection) -> int:
    [(version,)] = connection.execute(_VERSION).fetchall()
    return int(version)


def _apply(cursor: duckdb.DuckDBPyConnection, migration: LakeMigration, term: Term, now: datetime) -> None:
    try:
        if migration.large and not cursor.execute(_LARGE_DONE, {"version": migration.version}).fetchall()[0][0]:
            _apply_large(cursor, migration, term)
        _apply_control(cursor, migration, term, now)
    except duckdb.Error as error:
        if REFUSED in str(error):
            raise LeaseLost("another process migrates the lake now") from error
        raise


def _apply_large(cursor: duckdb.DuckDBPyConnection, migration: LakeMigration, term: Term) -> None:
    cursor.execute("BEGIN TRANSACTION")
    try:
        cursor.execute("SET search_path = 'lake.main'")
        cursor.execute(migration.large)
        set_message(cursor, "migration", term, migrated=migration.version)
        cursor.execute("COMMIT")
    except BaseException:
        roll_back(cursor)
        raise


def _apply_control(cursor: duckdb.DuckDBPyConnection, migration: LakeMigration, term: Term, now: datetime) -> None:
    of_file = migration.of_file
    row = f"{of_file.version}, {literal(of_file.name)}, {literal(of_file.checksum)}, {literal(now.isoformat())}"
    record = f"INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ({row})"  # noqa: S608 - our own
    cursor.execute("BEGIN TRANSACTION")
    try:
        require_lease(cursor, term)
        sql = f"SET LOCAL search_path = main; {migration.control}\n; {record}; SELECT commits.keep_no_texts()"
        cursor.execute(f"CALL postgres_execute('control', {literal(sql)})")
        cursor.execute("COMMIT")
    except BaseException:
        roll_back(cursor)
        raise
