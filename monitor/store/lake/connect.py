"""Attaches a lake and its PostgreSQL database to a DuckDB in memory.

A statement finds a table by the search path: large tables in DuckLake, control tables in PostgreSQL, views in memory.
Each of the three has a schema `main`, so that statements which name it run on a lake, too.
"""

import os
import re
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

import duckdb

from monitor.domain.lake_address import LakeAddress
from monitor.domain.object_store import LakeData, ObjectData
from monitor.errors import ConfigError, SchemaTooNew, StoreUnavailable
from monitor.store.engine.migrations import known_migrations
from monitor.store.engine.without_pandas import skip_pandas
from monitor.store.lake.extensions import OF_EVERY_LAKE, extension, load
from monitor.store.lake.imports.unfinished import require_finished_import
from monitor.store.lake.literal import literal
from monitor.store.lake.marker import MARKER, marker_of
from monitor.store.lake.objects.httpfs import attach_objects
from monitor.store.lake.objects.problems import described, lasting_problem
from monitor.store.lake.schema import text
from replay.machine import this_machine

OTHER_DATA: Final = "does not match existing data path"  # how DuckLake reports another DATA_PATH
CONNECTING: Final = re.compile(r'.*Unable to connect to Postgres at "[^"]*": ', re.DOTALL)
SEARCH_PATH: Final = "SET search_path = 'lake.main,control.main,memory.main'"
# A commit whose snapshot number another process took is repeated by DuckLake. Its defaults give up after 10 times.
_NOTICE_LOSS: Final = {
    "connect_timeout": "10",
    "keepalives_idle": "5",
    "keepalives_interval": "2",
    "keepalives_count": "3",
    "tcp_user_timeout": "10000",
}
# DuckDB would keep up to 32 connections for each of the two databases, by the processors of the machine.
KEPT_CONNECTIONS: Final = 4
_SETTINGS: Final = {
    "ducklake_max_retry_count": "100",
    "ducklake_retry_wait_ms": "10",
    "ducklake_retry_backoff": "1.2",
    "pg_pool_max_connections": str(KEPT_CONNECTIONS),
}


def connect_lake(
    url: str, data: LakeData, *, memory_limit_mb: int, threads: int | None, session: str = "driftd"
) -> duckdb.DuckDBPyConnection:
    """Open the lake at `url`. `data` has its Parquet files, `session` is the name of the sessions in
    PostgreSQL.

    Raises ConfigError when the database has no lake: only `create_lake` creates tables.
    """
    connection = duckdb_with_extensions(memory_limit_mb, threads)
    try:
        attach_control(connection, url, session)
        require_tables(connection, url)
        require_migrations(connection)
        require_finished_import(connection)
        attach_lake(connection, url, data, session)
        if isinstance(data, ObjectData) and marker_of(connection, data) is None:
            raise ConfigError(f"store.data: {data} has no file {MARKER} and is not the data of this lake; correct it")
        connection.execute(SEARCH_PATH)
        for view in text("views").splitlines()[1:]:
            connection.execute(view.replace("CREATE VIEW ", "CREATE OR REPLACE VIEW memory.main.", 1))
    except duckdb.Error as error:
        connection.close()
        raise unopened(error, url) from error
    except BaseException:
        connection.close()
        raise
    return connection


def require_tables(connection: duckdb.DuckDBPyConnection, url: str) -> None:
    """Raise ConfigError when the database has no lake."""
    if not has_tables(connection):
        raise ConfigError(
            f"store.url: {LakeAddress.of(url).shown} has no lake of driftd; `driftd lake init` creates it"
        )


def unopened(error: duckdb.Error, url: str) -> ConfigError | StoreUnavailable:
    """Return the error of a lake that cannot be attached."""
    if OTHER_DATA in str(error):
        return ConfigError(f"store.data: the lake has its files in another folder: {str(error).splitlines()[0]}")
    if (problem := lasting_problem(error)) is not None:
        return ConfigError(f"store.data: {problem}")
    reason = CONNECTING.sub("", described(error)).strip()
    return StoreUnavailable(f"the lake {LakeAddress.of(url).shown} cannot be opened now: {reason}")


def duckdb_with_extensions(memory_limit_mb: int, threads: int | None) -> duckdb.DuckDBPyConnection:
    """Return a DuckDB in memory that can attach a lake. Raises ConfigError when an extension is missing."""
    for name in OF_EVERY_LAKE:
        extension(name)
    connection = duckdb.connect(
        config={
            "memory_limit": f"{memory_limit_mb}MB",
            "autoinstall_known_extensions": "false",  # a daemon must not download anything
            "allow_persistent_secrets": "false",  # those of the user are not for a daemon
            "python_enable_replacements": "false",
            "threads": threads or min(this_machine().threads, os.cpu_count() or 1),
        }
    )
    connection.execute("SET enable_progress_bar = false")
    connection.execute("SET GLOBAL TimeZone = 'UTC'")
    skip_pandas(connection)
    try:
        for name in OF_EVERY_LAKE:
            load(connection, name)
        for name, value in _SETTINGS.items():
            connection.execute(f"SET GLOBAL {name} = {value}")
    except BaseException:
        connection.close()
        raise
    return connection


def with_session(url: str, name: str) -> str:
    """Return the URL of a database with the name of a session, and with limits after which it notices that the server
    is away. A value that the URL has already stays.
    """
    parts = urlsplit(url)
    own = {"application_name": name, **_NOTICE_LOSS}
    return urlunsplit(parts._replace(query=urlencode(own | dict(parse_qsl(parts.query)))))


def attach_control(connection: duckdb.DuckDBPyConnection, url: str, session: str = "driftd") -> None:
    """Attach the PostgreSQL database. DuckDB writes the text of ATTACH into its errors, but no secret: so the password
    is in a secret.
    """
    address = LakeAddress.of(with_session(url, session))
    secret = {
        "HOST": address.host,
        "PORT": address.port,
        "DATABASE": address.database,
        "USER": address.user,
        "PASSWORD": address.password,
    }
    given = "".join(f", {name} {literal(value)}" for name, value in secret.items() if value)
    connection.execute(f"CREATE OR REPLACE SECRET lake_database (TYPE postgres{given})")
    connection.execute(f"ATTACH {literal(_options(address))} AS control (TYPE postgres, SECRET lake_database)")


def attach_lake(
    connection: duckdb.DuckDBPyConnection, url: str, data: LakeData, session: str = "driftd", *, create: bool = False
) -> None:
    """Attach DuckLake after the PostgreSQL database, and create its catalog if that is allowed."""
    options = _options(LakeAddress.of(with_session(url, session)))
    if isinstance(data, ObjectData):
        attach_objects(connection, data)
    connection.execute(
        f"ATTACH {literal(f'ducklake:postgres:{options}')} AS lake "
        # Rows that are stored in the catalog instead of in files cost a hundred times more at the commit.
        f"(DATA_PATH {literal(str(data))}, METADATA_SCHEMA 'lake', DATA_INLINING_ROW_LIMIT 0, "
        f"CREATE_IF_NOT_EXISTS {create}, METADATA_PARAMETERS MAP {{'SECRET': 'lake_database'}})"
    )


def _options(address: LakeAddress) -> str:
    return " ".join(f"{name}={literal(value)}" for name, value in address.options.items())


def has_tables(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the database has the control tables: they are created last."""
    sql = "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'control' AND schema_name = 'main'"
    [(count,)] = connection.execute(sql).fetchall()
    return bool(count)


def require_migrations(connection: duckdb.DuckDBPyConnection) -> None:
    """Raise an error unless the lake has the tables of this driftd."""
    rows = connection.execute("SELECT version FROM control.main.schema_migration").fetchall()
    newest, ours = max((row[0] for row in rows), default=0), known_migrations()[-1].version
    if newest > ours:
        raise SchemaTooNew(
            f"the lake has schema version {newest}, this driftd knows up to {ours}; install a newer driftd"
        )
    if newest < ours:
        raise ConfigError(
            f"the lake has schema version {newest}, this driftd needs {ours}; stop its processes "
            "and run `driftd lake init`, which migrates it"
        )
