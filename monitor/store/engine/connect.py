"""Opens the DuckDB file with the settings of driftd. Its errors name the cause and the remedy."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from monitor.errors import ConfigError, StoreLocked, StoreUnavailable
from monitor.store.engine.migrations import known_migrations, migrate, not_applied, refuse_foreign
from monitor.store.engine.new_schema import new_schema
from monitor.store.engine.transaction import Tx
from monitor.store.engine.without_pandas import skip_pandas
from replay.machine import this_machine


def bytes_on_disk(path: Path) -> int:
    """Return the size of the database file and its write-ahead log. A file that is being replaced counts as 0 bytes."""
    return sum(_size(file) for file in (path, path.with_name(path.name + ".wal")))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def connect(path: Path, memory_limit_mb: int, now: datetime) -> duckdb.DuckDBPyConnection:
    """Open the file and apply missing migrations."""
    connection = _open(path, memory_limit_mb)
    try:
        # Set after connecting: the time zone needs an extension that is loaded then.
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        refuse_foreign(connection, path)
        migrate(connection, known_migrations(), path, now, new_schema=new_schema)
    except duckdb.Error as error:
        connection.close()
        raise StoreUnavailable(f"{path} cannot be migrated to the schema of this driftd: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log that DuckDB keeps for a file."""
    return path.with_name(path.name + ".wal")


def open_to_read(path: Path, memory_limit_mb: int) -> duckdb.DuckDBPyConnection:
    """Open the file read-only and without migrations. Fails while another process writes it."""
    return _open(path, memory_limit_mb, read_only=True)


def _open(path: Path, memory_limit_mb: int, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_limit_mb}MB",
        # A commit that checkpoints the log delays the commits after it: by 0.15 s with 12 MB and without merging row
        # groups, by 2 s with 256 MB. Small row groups are merged while no write is in progress.
        "checkpoint_threshold": "12MB",
        "max_vacuum_tasks": "0",
        "autoinstall_known_extensions": "false",  # a daemon must not download anything
        "python_enable_replacements": "false",  # a misspelt table name must not match a Python variable
    }
    # DuckDB counts all processors of the machine, without affinity and quota of the process. More threads cost a third.
    if (usable := this_machine().threads) < (os.cpu_count() or 1):
        settings["threads"] = usable
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not read_only:
            _require_writable(path)
        connection = duckdb.connect(path, read_only=read_only, config=settings)
        connection.execute("SET enable_progress_bar = false")  # of long statements, between the lines of the log
        skip_pandas(connection)
        return connection
    except OSError as error:
        raise ConfigError(f"store.path: the folder of {path} cannot be created: {error}") from error
    except duckdb.Error as error:
        if "Could not set lock" in str(error):
            raise StoreLocked(
                f"{path} is in use by another process; use the API of that process (--url), or stop it"
            ) from error
        raise ConfigError(f"store.path: {path} cannot be opened: {error}") from error


def _require_writable(path: Path) -> None:
    """Raise ConfigError for a read-only file: DuckDB opens some of them and fails at the first row."""
    for place in (path, log_of(path), path.parent):
        if place.exists() and not os.access(place, os.W_OK):
            raise ConfigError(
                f"store.path: {place} is read-only, and driftd writes to {path}; "
                "give the user of driftd write permission, or configure another file"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOnlyDatabase:
    """A database opened for reading. Until a start applies the `pending` migrations, `tx` may lack tables."""

    tx: Tx
    pending: int


@contextmanager
def open_read_only(path: Path, memory_limit_mb: int) -> Iterator[ReadOnlyDatabase]:
    """Open an existing file for reading.

    Raises StoreLocked while another process owns it, SchemaTooNew when a newer driftd wrote it, ConfigError when it is
    not a database.
    """
    connection = open_to_read(path, memory_limit_mb)
    try:
        refuse_foreign(connection, path)
        known = known_migrations()
        pending = len(known)
        with suppress(duckdb.CatalogException):  # an empty database
            pending = len(not_applied(connection, known, path))
        yield ReadOnlyDatabase(tx=Tx(connection), pending=pending)
    finally:
        connection.close()
