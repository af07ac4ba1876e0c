"""Writes the database into a new file and puts it in the old one's place.

DuckDB gives no space back when rows are deleted, and their bytes stay readable in the file. A new file holds nothing
but the rows that were copied.
"""

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import duckdb

from monitor.errors import ConfigError, StoreUnavailable
from monitor.store.connect import connect, log_of
from monitor.store.transaction import Tx

SPARE_BYTES: Final = 16 * 2**20  # what the new file may need beyond the blocks in use
_ALIAS: Final = "driftd_rewrite"


def copy_of(path: Path) -> Path:
    """Where the new file of `path` is written: beside it, for a rename must not leave the file system."""
    return path.with_name(path.name + ".rewrite")


def remove_copy(path: Path) -> None:
    """Remove an unfinished copy. Only for the owner of the file: another process would be robbed of its work."""
    for left in (copy_of(path), log_of(copy_of(path))):
        left.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what a killed process left: an unfinished copy, and the rows that DuckDB had put out of memory.

    Only after opening the file, which makes its owner, and before the first query.
    """
    remove_copy(path)
    shutil.rmtree(path.with_name(path.name + ".tmp"), ignore_errors=True)


def write_copy(
    cursor: duckdb.DuckDBPyConnection,
    path: Path,
    *,
    memory_limit_mb: int,
    now: datetime,
    finish: Callable[[Tx], None],
    go_on: Callable[[], None],
) -> None:
    """Write every row of the open database into `copy_of(path)`, whole and on disk when this returns.

    The schema comes from the migrations, as that of any new file. `finish` writes into the copy alone. The caller
    holds the write lock, so that nothing is added meanwhile. `go_on` raises to end it between two tables.
    """
    copy = copy_of(path)
    remove_copy(path)
    _demand_room(cursor, path)
    try:
        connect(copy, memory_limit_mb, now).close()
    except ConfigError as error:  # it names the setting, but what worked at the start is to be tried again
        raise StoreUnavailable(f"{path} cannot be rewritten now: {error}") from error
    copy.chmod(path.stat().st_mode & 0o777)
    catalog = str(_value(cursor, "SELECT current_database()"))
    cursor.execute(f"ATTACH {_quoted(str(copy))} AS {_ALIAS}")
    try:
        for table in _tables(cursor, catalog):
            go_on()
            _copy_table(cursor, _name(catalog, table), _name(_ALIAS, table))
        cursor.execute(f"USE {_ALIAS}")
        finish(Tx(cursor))
        go_on()
        cursor.execute(f"CHECKPOINT {_ALIAS}")
    finally:
        with suppress(duckdb.Error):  # after a fatal error nothing works any more; the first error is the one to tell
            cursor.execute(f'USE "{catalog}"')
            cursor.execute(f"DETACH {_ALIAS}")
    if _size(log_of(copy)):
        raise StoreUnavailable(f"{copy} has not taken its log in; the rewrite is tried again")
    _sync(copy)


def put_in_place(path: Path) -> None:
    """The copy becomes the file, in one step. The old file must be closed.

    Its log must be gone by then: found beside the new file, it would be applied to it.
    """
    if _size(log_of(path)):
        raise StoreUnavailable(f"{path} has not taken its log in; the rewrite is tried again")
    log_of(path).unlink(missing_ok=True)
    _sync(path.parent)
    copy_of(path).replace(path)
    _sync(path.parent)


def _tables(cursor: duckdb.DuckDBPyConnection, catalog: str) -> list[str]:
    """Every table, in the order of creation. One that the migrations do not make would be lost: refused."""
    there, made = (_table_names(cursor, name) for name in (catalog, _ALIAS))
    if strangers := sorted(set(there) - set(made)):
        raise StoreUnavailable(f"the file holds tables that driftd did not make: {', '.join(strangers)}; move them out")
    return there


def _table_names(cursor: duckdb.DuckDBPyConnection, catalog: str) -> list[str]:
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = $catalog AND NOT temporary ORDER BY table_oid"
    return [row[0] for row in cursor.execute(sql, {"catalog": catalog}).fetchall()]


def _copy_table(cursor: duckdb.DuckDBPyConnection, source: str, target: str) -> None:
    cursor.execute(f"DELETE FROM {target}")  # noqa: S608 - names from the catalog; migrations leave rows of their own
    copied = _value(cursor, f"INSERT INTO {target} BY NAME SELECT * FROM {source}")  # noqa: S608 - as above
    held = _value(cursor, f"SELECT count(*) FROM {source}")  # noqa: S608 - as above
    if copied != held:
        raise RuntimeError(f"{copied} of {held} rows of {source} were copied")


def _demand_room(cursor: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse at once what would fill the disk, and stop the writes of others with it."""
    sql = "SELECT used_blocks * block_size FROM pragma_database_size() WHERE database_name = current_database()"
    needed = int(_value(cursor, sql)) + _size(log_of(path)) + SPARE_BYTES
    free = shutil.disk_usage(path.parent).free
    if free < needed:
        raise StoreUnavailable(
            f"{path} cannot be rewritten now: that needs {needed / 2**20:.0f} MiB beside it and "
            f"{free / 2**20:.0f} MiB are free; make room on its disk"
        )


def _value(cursor: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = cursor.execute(sql).fetchone()
    assert row is not None, "the statement gives one row"
    return row[0]


def _name(catalog: str, table: str) -> str:
    return f'"{catalog}"."main"."{table}"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _sync(path: Path) -> None:
    """On disk, not only in the system's memory; of a folder, the names in it."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
