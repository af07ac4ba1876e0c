"""Creates the tables of a lake: `driftd lake init`. A second call continues an interrupted one, or migrates the lake of
an earlier driftd, or changes nothing.
"""

from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from monitor.domain.object_store import LakeData, ObjectData
from monitor.domain.run import new_id
from monitor.errors import ConfigError
from monitor.store.engine.migrations import known_migrations
from monitor.store.lake.checks import check_postgresql, identity_of
from monitor.store.lake.connect import (
    attach_control,
    attach_lake,
    duckdb_with_extensions,
    has_tables,
    unopened,
)
from monitor.store.lake.lake_check import LakeState
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.literal import literal
from monitor.store.lake.marker import marker_of, write_marker
from monitor.store.lake.migrate import migrate_lake, session_name
from monitor.store.lake.objects.checks import check_objects, first_key
from monitor.store.lake.objects.httpfs import attach_objects
from monitor.store.lake.objects.problems import described
from monitor.store.lake.schema import text

IDENTITY: Final = "CREATE TABLE commits.lake(id text PRIMARY KEY, created_at timestamptz NOT NULL);"


def create_lake(url: str, data: LakeData, now: datetime) -> bool:
    """Create the lake whose PostgreSQL database is at `url` and whose files are in `data`. A lake that is there is
    migrated; then return False.

    Raises ConfigError when the database or the data cannot be used, StoreUnavailable when they cannot be reached now.
    """
    connection = duckdb_with_extensions(memory_limit_mb=512, threads=1)
    try:
        session = session_name()
        attach_control(connection, url, session)
        failed = [one for one in check_postgresql(connection) if one.state is LakeState.FAIL]
        if failed:
            raise ConfigError("\n".join(one.sentence for one in failed))
        if has_tables(connection):
            attach_lake(connection, url, data, session)
            migrate_lake(connection, session, now)
            _mark(connection, data, now)  # for a call that was interrupted before
            return False
        _require_unused(connection, data)
        attach_lake(connection, url, data, session, create=True)
        _create_large(connection)
        _create_control(connection, now)
        _mark(connection, data, now)
    except duckdb.Error as error:
        raise unopened(error, url) from error
    finally:
        connection.close()
    return True


def _require_unused(connection: duckdb.DuckDBPyConnection, data: LakeData) -> None:
    """Create the folder of the data, or check the bucket. Raise ConfigError when it has files: they belong to something
    else.
    """
    empty = "an empty folder" if isinstance(data, str) else "an empty prefix"
    if isinstance(data, ObjectData):
        if refused := [one.sentence for one in check_objects(data) if one.state is LakeState.FAIL]:
            raise ConfigError("\n".join(f"store.data: {sentence}" for sentence in refused))
        attach_objects(connection, data)
    else:
        try:
            Path(data).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ConfigError(f"store.data: {data} cannot be created: {error.strerror}") from None
    if marker_of(connection, data) is not None:
        raise ConfigError(f"store.data: {data} has the files of another lake; choose {empty}")
    if (found := _first_file(connection, data)) is not None:
        raise ConfigError(f"store.data: {data} is not empty: it has {found}; choose {empty}")


def _first_file(connection: duckdb.DuckDBPyConnection, data: LakeData) -> str | None:
    if isinstance(data, ObjectData):
        return first_key(data)
    found = connection.execute("SELECT file FROM glob($files) LIMIT 1", {"files": f"{data}/**"}).fetchone()
    return None if found is None else str(found[0])


def _create_large(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the large tables, unless an interrupted call did."""
    connection.execute("CALL lake.set_option('parquet_compression', 'zstd')")
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'"
    if {row[0] for row in connection.execute(sql).fetchall()} >= LARGE:
        return
    connection.execute("BEGIN TRANSACTION")
    connection.execute("USE lake")
    connection.execute(text("large_tables"))
    connection.execute("USE memory")
    connection.execute("COMMIT")


def _create_control(connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Create the control tables and record the migrations in one transaction: their ledger marks a complete lake."""
    at = literal(now.isoformat())
    ledger = ", ".join(
        f"({one.version}, {literal(one.name)}, {literal(one.checksum)}, {at})" for one in known_migrations()
    )
    sql = (
        "CREATE SCHEMA main; SET LOCAL search_path = main;"
        + text("control_tables")
        + text("fence")
        + text("leases")
        + text("slices")
        + text("statistics")
        + text("imports")
        + IDENTITY
    )
    # PostgreSQL runs the whole text: it can have no parameters.
    sql += f"INSERT INTO commits.lake VALUES ({literal(new_id('lake', now))}, {at});"  # noqa: S608 - our own id
    sql += f"INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES {ledger}"  # noqa: S608 - as above
    connection.execute("BEGIN TRANSACTION")
    connection.execute(f"CALL postgres_execute('control', {literal(sql)})")
    connection.execute("COMMIT")
    connection.execute("CALL pg_clear_cache()")


def _mark(connection: duckdb.DuckDBPyConnection, data: LakeData, now: datetime) -> None:
    """Write the id of the lake to its data, unless it is there."""
    if marker_of(connection, data) is not None:
        return
    try:
        write_marker(connection, data, identity_of(connection), now)
    except duckdb.IOException as error:
        raise ConfigError(f"store.data: {data} cannot be written: {described(error)}") from None
