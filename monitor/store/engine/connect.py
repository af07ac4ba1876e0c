"""Opens the DuckDB file with our settings and says in one sentence why it cannot."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from monitor.errors import ConfigError, StoreLocked, StoreUnavailable
from monitor.store.engine.migrations import known_migrations, migrate, not_applied, refuse_foreign
from monitor.store.engine.transaction import Tx


def bytes_on_disk(path: Path) -> int:
    """The database file and its write-ahead log; one that is being replaced at this moment counts as nothing."""
    return sum(_size(file) for file in (path, path.with_name(path.name + ".wal")))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return 0


def connect(path: Path, memory_limit_mb: int, now: datetime) -> duckdb.DuckDBPyConnection:
    """The open, migrated file."""
    connection = _open(path, memory_limit_mb)
    try:
        # Only after connecting: the time zone comes with an extension that is loaded by then.
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        refuse_foreign(connection, path)
        migrate(connection, known_migrations(), path, now)
    except duckdb.Error as error:
        connection.close()
        raise StoreUnavailable(f"{path} cannot be brought to the schema of this driftd: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def log_of(path: Path) -> Path:
    """The write-ahead log that DuckDB keeps beside a file."""
    return path.with_name(path.name + ".wal")


def open_to_read(path: Path, memory_limit_mb: int) -> duckdb.DuckDBPyConnection:
    """The file as it is, unchanged and not migrated. Refused while another process writes."""
    return _open(path, memory_limit_mb, read_only=True)


def _open(path: Path, memory_limit_mb: int, *, read_only: bool = False) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_limit_mb}MB",
        # A commit that folds the log into the file holds up those behind it: with 12 MB and without making large row
        # groups of small ones for 0.15 s, with 256 MB for 2 s. Row groups are put together when nobody writes.
        "checkpoint_threshold": "12MB",
        "max_vacuum_tasks": "0",
        "autoinstall_known_extensions": "false",  # a daemon downloads nothing by itself
        "python_enable_replacements": "false",  # a misspelt table must not find a Python variable
    }
    if (usable := len(os.sched_getaffinity(0))) < (os.cpu_count() or 1):
        settings["threads"] = usable  # DuckDB counts the machine's cores: more threads than its own share cost a third
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not read_only:
            _require_writable(path)
        return duckdb.connect(path, read_only=read_only, config=settings)
    except OSError as error:
        raise ConfigError(f"store.path: the folder of {path} cannot be made: {error}") from error
    except duckdb.Error as error:
        if "Could not set lock" in str(error):
            raise StoreLocked(
                f"{path} is in use by another process; reach it through its API (--url), or stop that process"
            ) from error
        raise ConfigError(f"store.path: {path} cannot be opened: {error}") from error


def _require_writable(path: Path) -> None:
    """DuckDB would open some files that it cannot write, and fail at the first row."""
    for place in (path, log_of(path), path.parent):
        if place.exists() and not os.access(place, os.W_OK):
            raise ConfigError(
                f"store.path: {place} is read-only, and driftd writes to {path}; "
                "give the user that runs driftd the right to write, or name another file"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOnlyDatabase:
    """`pending` migrations are applied at the next start; until then there may be tables that `tx` does not find."""

    tx: Tx
    pending: int


@contextmanager
def open_read_only(path: Path, memory_limit_mb: int) -> Iterator[ReadOnlyDatabase]:
    """Look into an existing file.

    Raises StoreLocked while another process owns it, SchemaTooNew for a newer driftd's, ConfigError when it is no
    database.
    """
    connection = open_to_read(path, memory_limit_mb)
    try:
        refuse_foreign(connection, path)
        known = known_migrations()
        pending = len(known)
        with suppress(duckdb.CatalogException):  # a database that is empty
            pending = len(not_applied(connection, known, path))
        yield ReadOnlyDatabase(tx=Tx(connection), pending=pending)
    finally:
        connection.close()
