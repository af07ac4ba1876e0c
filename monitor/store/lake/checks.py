"""Checks whether PostgreSQL and the data can be those of a lake: `driftd lake check`."""

import os
from collections.abc import Iterator
from typing import Any, Final

import duckdb

from monitor.domain.lake_address import LakeAddress
from monitor.domain.object_store import LakeData, ObjectData
from monitor.errors import ConfigError, DriftdError
from monitor.store.lake.connect import (
    attach_control,
    attach_lake,
    duckdb_with_extensions,
    has_tables,
    require_migrations,
    unopened,
)
from monitor.store.lake.imports.unfinished import import_of, unfinished
from monitor.store.lake.lake_check import LakeCheck, LakeState, failed, passed
from monitor.store.lake.marker import MARKER, marker_of
from monitor.store.lake.objects.checks import check_objects

OLDEST_POSTGRESQL: Final = 15
ENGLISH: Final = ("", "C", "POSIX", "en")
TRIGGERS: Final = """
SELECT count(*) FROM pg_trigger
WHERE tgrelid = 'lake.ducklake_snapshot_changes'::regclass AND tgname = 'store_extra_info' AND tgenabled IN ('O', 'A')
"""
HIDING: Final = """
SELECT count(*) FROM pg_trigger
WHERE tgrelid IN ('lake.ducklake_file_column_stats'::regclass, 'lake.ducklake_table_column_stats'::regclass)
    AND tgname = 'hide_text' AND tgenabled IN ('O', 'A')
"""


def check_lake(url: str, data: LakeData) -> list[LakeCheck]:
    """Return the result of every check. The first that fails can prevent those after it."""
    shown, found = LakeAddress.of(url).shown, list[LakeCheck]()
    try:
        connection = duckdb_with_extensions(memory_limit_mb=512, threads=1)
    except ConfigError as error:
        return [failed("duckdb", str(error))]
    try:
        found.append(passed("duckdb", f"DuckDB {duckdb.__version__} has the extensions of a lake"))
        attach_control(connection, url)
        found += check_postgresql(connection)
        if isinstance(data, ObjectData):
            found += (objects := list(check_objects(data)))
            if any(one.state is LakeState.FAIL for one in objects):
                return found
        if not has_tables(connection):
            return [*found, failed("tables", f"{shown} has no lake; `driftd lake init` creates it")]
        require_migrations(connection)
        attach_lake(connection, url, data)
        found += [passed("tables", f"the lake {identity_of(connection)} has the tables of this driftd")]
        found += [_check_fence(connection), _check_statistics(connection), *_check_data(connection, data)]
        found += _check_import(connection)
    except DriftdError as error:
        found.append(failed("tables", str(error)))
    except duckdb.Error as error:
        found.append(failed("lake", str(unopened(error, url))))
    finally:
        connection.close()
    return found


def check_postgresql(connection: duckdb.DuckDBPyConnection) -> Iterator[LakeCheck]:
    """Yield whether the attached PostgreSQL server is suitable."""
    number = int(_ask(connection, "SELECT current_setting('server_version_num')"))
    if number // 10_000 < OLDEST_POSTGRESQL:
        yield failed("postgresql", f"PostgreSQL {number // 10_000} is too old; a lake needs {OLDEST_POSTGRESQL}")
    else:
        yield passed("postgresql", f"PostgreSQL {number // 10_000} answers")
    encoding = _ask(connection, "SELECT current_setting('server_encoding')")
    if encoding != "UTF8":
        yield failed("encoding", f"the database has the encoding {encoding}; create it with ENCODING 'UTF8'")
    messages = _ask(connection, "SELECT current_setting('lc_messages')")
    if messages.split(".")[0].split("_")[0] in ENGLISH:
        yield passed("lc_messages", "the messages of PostgreSQL are in English")
    else:
        yield failed(
            "lc_messages",
            f"lc_messages is {messages}: DuckLake repeats a commit by its English error; run "
            "ALTER DATABASE ... SET lc_messages = 'C' as a superuser, or set it in postgresql.conf",
        )


def identity_of(connection: duckdb.DuckDBPyConnection) -> str:
    """Return the id of the lake."""
    return str(_ask(connection, "SELECT id FROM commits.lake"))


def _check_fence(connection: duckdb.DuckDBPyConnection) -> LakeCheck:
    """Check the trigger that stores the read positions of sources in the commit of their rows."""
    enabled = _ask(
        connection,
        TRIGGERS,
    )
    if enabled:
        return passed("fence", "the trigger that moves read positions is enabled")
    return failed(
        "fence",
        "the trigger store_extra_info of lake.ducklake_snapshot_changes is missing or disabled; records would be "
        "stored twice: restore the database from its backup",
    )


def _check_statistics(connection: duckdb.DuckDBPyConnection) -> LakeCheck:
    """Check the triggers that keep texts out of the catalog."""
    if _ask(connection, HIDING) == 2:
        return passed("statistics", "the triggers that keep texts out of the catalog are enabled")
    return failed(
        "statistics",
        "a trigger hide_text of the statistics of DuckLake is missing or disabled; the catalog would keep parts of "
        "erased texts: restore the database from its backup",
    )


def _check_data(connection: duckdb.DuckDBPyConnection, data: LakeData) -> Iterator[LakeCheck]:
    found, wanted = marker_of(connection, data), identity_of(connection)
    if found is None:
        yield failed("data", f"{data} has no file {MARKER} and is not the data of this lake; correct store.data")
    elif found != wanted:
        yield failed("data", f"{data} has the files of the lake {found}, not of {wanted}; correct store.data")
    elif isinstance(data, str) and not os.access(data, os.W_OK | os.X_OK):
        yield failed("data", f"{data} is read-only for this user; driftd must be able to write it")
    else:
        yield passed("data", f"{data} has the files of this lake")


def _check_import(connection: duckdb.DuckDBPyConnection) -> Iterator[LakeCheck]:
    """Yield whether the import of a file is complete, in a lake that has one."""
    found = import_of(connection)
    if found is None:
        return
    if found.ended_at is None:
        yield failed("import", unfinished(found))
    else:
        yield passed("import", f"all rows of {found.source} were imported and compared")


def _ask(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    """Return the one value of a query of PostgreSQL."""
    [(value,)] = connection.execute("SELECT * FROM postgres_query('control', $sql)", {"sql": sql}).fetchall()
    return value
