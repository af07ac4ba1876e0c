"""Attaches a lake and its PostgreSQL database to a DuckDB in memory, and creates their tables.

A statement finds a table by the search path: large tables in DuckLake, control tables in PostgreSQL, views in memory.
Each of the three has a schema `main`, so that statements which name it run on a lake, too.
"""

import os
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import duckdb

from monitor.errors import ConfigError, SchemaTooNew, StoreUnavailable
from monitor.store.engine.migrations import Migration, known_migrations
from monitor.store.engine.statements import statement
from monitor.store.engine.without_pandas import skip_pandas
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.schema import text
from replay.machine import this_machine

EXTENSIONS: Final = ("postgres_scanner", "ducklake")
SEARCH_PATH: Final = "SET search_path = 'lake.main,control.main,memory.main'"
# A commit whose snapshot number another process took is repeated by DuckLake. Its defaults give up after 10 times.
_NOTICE_LOSS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
_RETRIES: Final = {"ducklake_max_retry_count": "100", "ducklake_retry_wait_ms": "10", "ducklake_retry_backoff": "1.2"}


def connect_lake(
    url: str, data: str, now: datetime, *, memory_limit_mb: int, threads: int | None, session: str = "driftd"
) -> duckdb.DuckDBPyConnection:
    """Open the lake at `url`, and create its tables when it has none. `data` is the folder of its Parquet files.
    `session` is the name of the sessions in PostgreSQL.
    """
    connection = duckdb_with_extensions(memory_limit_mb, threads)
    try:
        _attach(connection, with_session(url, session), data)
        _create_tables(connection, now)
        connection.execute(SEARCH_PATH)
        for view in text("views").splitlines()[1:]:
            connection.execute(view.replace("CREATE VIEW ", "CREATE OR REPLACE VIEW memory.main.", 1))
    except duckdb.Error as error:
        connection.close()
        raise StoreUnavailable(f"the lake cannot be opened now: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def duckdb_with_extensions(memory_limit_mb: int, threads: int | None) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB in memory that can attach a lake. Raises ConfigError when an extension is missing."""
    extensions = [_extension(name) for name in EXTENSIONS]
    connection = duckdb.connect(
        config={
            "memory_limit": f"{memory_limit_mb}MB",
            "autoinstall_known_extensions": "false",  # a daemon must not download anything
            "python_enable_replacements": "false",
            "threads": threads or min(this_machine().threads, os.cpu_count() or 1),
        }
    )
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    skip_pandas(connection)
    try:
        for path in extensions:
            connection.execute(f"LOAD {_literal(str(path))}")
        for name, value in _RETRIES.items():
            connection.execute(f"SET GLOBAL {name} = {value}")
    except duckdb.Error as error:
        connection.close()
        raise ConfigError(f"the extensions of DuckDB for a lake cannot be loaded: {error}") from error
    return connection


def _extension(name: str) -> Path:
    package = find_spec(f"duckdb_extension_{name}")
    found = (
        [] if package is None else list(Path(*(package.submodule_search_locations or ())).rglob("*.duckdb_extension"))
    )
    if len(found) != 1:
        raise ConfigError(f"a lake needs the package duckdb-extension-{name.replace('_', '-')}; install it")
    return found[0]


def with_session(url: str, name: str) -> str:
    """Return the URL of a database with the name of a session, and with limits after which it notices that the server
    is away. A value that the URL has already stays.
    """
    parts = urlsplit(url)
    own = {"application_name": name, **_NOTICE_LOSS}
    return urlunsplit(parts._replace(query=urlencode(own | dict(parse_qsl(parts.query)))))


def _attach(connection: duckdb.DuckDBPyConnection, url: str, data: str) -> None:
    connection.execute(f"ATTACH {_literal(url)} AS control (TYPE postgres)")
    connection.execute(
        f"ATTACH {_literal(f'ducklake:postgres:{url}')} AS lake "
        # Rows that are stored in the catalog instead of in files cost a hundred times more at the commit.
        f"(DATA_PATH {_literal(data)}, METADATA_SCHEMA 'lake', DATA_INLINING_ROW_LIMIT 0)"
    )


def _create_tables(connection: duckdb.DuckDBPyConnection, now: datetime) -> None:
    """Create the tables, the control tables last: their ledger marks a complete lake."""
    known = known_migrations()
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'control' AND schema_name = 'main'"
    ).fetchall()
    if found:
        _require_migrations(connection, known)
        return
    connection.execute("CALL lake.set_option('parquet_compression', 'zstd')")
    connection.execute("BEGIN TRANSACTION")
    created = {
        row[0]
        for row in connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'").fetchall()
    }
    if not created >= LARGE:
        connection.execute("USE lake")
        connection.execute(text("large_tables"))
        connection.execute("USE memory")
    connection.execute("COMMIT")
    connection.execute("BEGIN TRANSACTION")
    sql = "CREATE SCHEMA main; SET LOCAL search_path = main;" + text("control_tables") + text("fence") + text("leases")
    connection.execute(f"CALL postgres_execute('control', {_literal(sql)})")
    connection.execute("COMMIT")
    connection.execute("CALL pg_clear_cache()")
    _record(connection, known, now)


def _require_migrations(connection: duckdb.DuckDBPyConnection, known: list[Migration]) -> None:
    """Raise an error unless the lake has the tables of this driftd: a lake is not migrated yet."""
    rows = connection.execute("SELECT version FROM control.main.schema_migration").fetchall()
    newest, ours = max((row[0] for row in rows), default=0), known[-1].version
    if newest > ours:
        raise SchemaTooNew(
            f"the lake has schema version {newest}, this driftd knows up to {ours}; install a newer driftd"
        )
    if newest < ours:
        raise ConfigError(f"the lake has schema version {newest}, this driftd needs {ours}; it cannot migrate a lake")


def _record(connection: duckdb.DuckDBPyConnection, known: list[Migration], now: datetime) -> None:
    row = {
        "versions": [migration.version for migration in known],
        "names": [migration.name for migration in known],
        "checksums": [migration.checksum for migration in known],
    }
    connection.execute(SEARCH_PATH)
    connection.execute(statement("record_migrations"), {**row, "now": now})


def _literal(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
