"""Forward-only migrations. Each runs in one transaction, together with the row that records it."""

import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

import duckdb

from monitor.errors import ConfigError, SchemaTooNew
from monitor.store.engine.statements import SQL_FOLDER, statement

FOLDER: Final = SQL_FOLDER / "migrations"
MOST_TABLES: Final = 5
_FILE_NAME: Final = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """A migration. `checksum` is the SHA-256 of its text: an applied migration must never change."""

    version: int
    name: str
    sql: str
    checksum: str


def known_migrations(folder: Path = FOLDER) -> list[Migration]:
    """Return every migration of this release, the oldest first. Versions start at 1; each has one file."""
    found = [read_migration(path) for path in sorted(folder.glob("*.sql"))]
    versions = [migration.version for migration in found]
    if versions[:1] != [1] or len(set(versions)) != len(versions):
        raise ConfigError(f"the migrations of {folder} do not start at 1, or two have one number; reinstall driftd")
    return found


def read_migration(path: Path) -> Migration:
    """Return the migration of a file. Raises ConfigError when its name has no version."""
    match = _FILE_NAME.fullmatch(path.name)
    if match is None:
        raise ConfigError(f"{path} is no migration: its name must read 0007_what_it_does.sql")
    sql = path.read_text(encoding="utf-8")
    checksum = hashlib.sha256(sql.encode()).hexdigest()
    return Migration(version=int(match[1]), name=match[2], sql=sql, checksum=checksum)


def migrate(
    cursor: duckdb.DuckDBPyConnection,
    known: list[Migration],
    where: Path,
    now: datetime,
    *,
    new_schema: Callable[[], Migration] | None = None,
) -> int:
    """Apply missing migrations, and return their number. A file without any starts with `new_schema`, which has the
    tables of all migrations up to its version.
    """
    cursor.execute(statement("create_schema_migration"))
    missing = not_applied(cursor, known, where)
    if new_schema is not None and missing == known:
        _start_with(cursor, new_schema(), known, now)
        missing = not_applied(cursor, known, where)
    for migration in missing:
        _apply(cursor, migration, now)
    return len(missing)


def refuse_foreign(cursor: duckdb.DuckDBPyConnection, where: Path) -> None:
    """Raise ConfigError when the file has tables but no migration record of driftd. The file is not changed."""
    try:
        if cursor.execute(statement("applied_migrations")).fetchall():
            return  # first, because the list of tables takes a third of the time of opening a file
    except duckdb.Error:
        pass  # no such table, or a table of another program
    tables = [row[0] for row in cursor.execute(statement("tables_of_file")).fetchall()]
    if not tables or tables == ["schema_migration"]:
        return
    shown = ", ".join(tables[:MOST_TABLES]) + (", ..." if len(tables) > MOST_TABLES else "")
    raise ConfigError(
        f"store.path: {where} is the database of another program (its tables: {shown}); name another file"
    )


def not_applied(cursor: duckdb.DuckDBPyConnection, known: list[Migration], where: Path) -> list[Migration]:
    """Return the migrations of `known` that the file lacks.

    Raises SchemaTooNew for a file of a newer driftd, and an error for migrations that driftd does not know.
    """
    applied = {row[0]: row[1:] for row in cursor.execute(statement("applied_migrations")).fetchall()}
    versions = {migration.version for migration in known}
    _refuse_newer(applied.keys() - versions, max(versions), where)
    for migration in known:
        if migration.version not in applied:
            continue
        name, checksum = applied[migration.version]
        if checksum != migration.checksum:
            raise ConfigError(
                f"migration {migration.version} ({name}) of {where} is not the one this driftd brings: its text changed"
                " after it was applied; install the driftd that wrote the file, or start with a new file"
            )
    return [migration for migration in known if migration.version not in applied]


def _refuse_newer(newer: set[int], known: int, where: Path) -> None:
    if newer:
        raise SchemaTooNew(
            f"{where} has schema version {max(newer)}, this driftd knows up to {known}; install a newer driftd"
        )


def _start_with(cursor: duckdb.DuckDBPyConnection, schema: Migration, known: list[Migration], now: datetime) -> None:
    """Create the tables of `schema`, and record the migrations that it includes."""
    included = [migration for migration in known if migration.version <= schema.version]
    rows = {
        "versions": [migration.version for migration in included],
        "names": [migration.name for migration in included],
        "checksums": [migration.checksum for migration in included],
    }
    _in_transaction(cursor, schema.sql, statement("record_migrations"), {**rows, "now": now})


def _apply(cursor: duckdb.DuckDBPyConnection, migration: Migration, now: datetime) -> None:
    row = {"version": migration.version, "name": migration.name, "checksum": migration.checksum, "now": now}
    _in_transaction(cursor, migration.sql, statement("record_migration"), row)


def _in_transaction(cursor: duckdb.DuckDBPyConnection, sql: str, record: str, row: Mapping[str, object]) -> None:
    cursor.execute("BEGIN TRANSACTION")
    try:
        cursor.execute(sql)
        cursor.execute(record, row)
    except BaseException:
        cursor.execute("ROLLBACK")
        raise
    cursor.execute("COMMIT")
