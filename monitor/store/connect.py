"""Opens the DuckDB file with our settings and says in one sentence why it cannot."""

from datetime import datetime
from pathlib import Path

import duckdb

from monitor.errors import ConfigError, StoreLocked, StoreUnavailable
from monitor.store.migrations import known_migrations, migrate


def connect(path: Path, memory_limit_mb: int, now: datetime) -> duckdb.DuckDBPyConnection:
    """The open, migrated file."""
    connection = _open(path, memory_limit_mb)
    try:
        # Only after connecting: the time zone comes with an extension that is loaded by then.
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        migrate(connection, known_migrations(), path, now)
    except duckdb.Error as error:
        connection.close()
        raise StoreUnavailable(f"{path} cannot be brought to the schema of this driftd: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _open(path: Path, memory_limit_mb: int) -> duckdb.DuckDBPyConnection:
    settings: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": f"{memory_limit_mb}MB",
        "checkpoint_threshold": "256MB",  # the default of 16 MB stalls a write for 0.4 s every few thousand rows
        "autoinstall_known_extensions": "false",  # a daemon downloads nothing by itself
        "python_enable_replacements": "false",  # a misspelt table must not find a Python variable
    }
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return duckdb.connect(path, config=settings)
    except OSError as error:
        raise ConfigError(f"store.path: the folder of {path} cannot be made: {error}") from error
    except duckdb.Error as error:
        if "Could not set lock" in str(error):
            raise StoreLocked(
                f"{path} is in use by another process; reach it through its API (--url), or stop that process"
            ) from error
        raise ConfigError(f"store.path: {path} cannot be opened: {error}") from error
