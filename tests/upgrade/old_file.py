"""Databases of earlier schemas: the rows that an earlier driftd wrote, in the tables of its migrations.

`python -m tests.upgrade.old_file DATABASE` writes files/NNNN.zip from a database that an earlier driftd wrote, with at
most `MOST_ROWS` rows of each table. The rows of the fixtures are those that `driftd demo --once` wrote, run from the
commit that added migration NNNN.
"""

import sys
import tempfile
import zipfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import duckdb

from monitor.store.engine.migrations import Migration, known_migrations, migrate

FILES: Final = Path(__file__).with_name("files")
MOST_ROWS: Final = 15
FILLED: Final = 2
WRITTEN: Final = datetime(2026, 11, 20, tzinfo=UTC)
OWN: Final = frozenset({"schema_migration", "watermark"})  # written at each start


def fixtures() -> list[Path]:
    return sorted(FILES.glob("*.zip"))


def schema_of(fixture: Path) -> int:
    """Return the number of the newest migration of a fixture."""
    return int(fixture.stem)


def migrations_until(version: int) -> list[Migration]:
    return [migration for migration in known_migrations() if migration.version <= version]


def build(fixture: Path, path: Path, *, fill: bool = False) -> dict[str, int]:
    """Write the database of a fixture, and return its number of rows by table. `fill` adds rows to the empty tables."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect(path) as connection:
        connection.execute("SET GLOBAL TimeZone = 'UTC'")
        migrate(connection, migrations_until(schema_of(fixture)), path, WRITTEN)
        with zipfile.ZipFile(fixture) as archive:
            archive.extractall(folder)
        rows = {}
        for part in sorted(Path(folder).glob("*.parquet")):
            connection.execute(f'DELETE FROM "{part.stem}"')  # a migration may insert rows of its own
            connection.execute(f"INSERT INTO \"{part.stem}\" BY NAME SELECT * FROM read_parquet('{part}')")
            rows[part.stem] = _count(connection, part.stem)
        for table in _tables(connection) if fill else ():
            if table not in OWN and not _count(connection, table):
                _fill(connection, table)
                rows[table] = _count(connection, table)
    return rows


def _fill(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    """Insert rows of the right types. Their values mean nothing: they show that no migration loses or changes a row."""
    columns = connection.execute(
        "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? ORDER BY column_index", [table]
    ).fetchall()
    for number in range(FILLED):
        values = [_value(name, kind, number) for name, kind in columns]
        connection.execute(f'INSERT INTO "{table}" VALUES ({", ".join("?" * len(values))})', values)


def _value(name: str, kind: str, number: int) -> object:
    at = WRITTEN + timedelta(minutes=number)
    by_kind: dict[str, object] = {
        "JSON": "{}",
        "TIMESTAMP WITH TIME ZONE": at,
        "DATE": at.date(),
        "BOOLEAN": True,
        "BLOB": bytes([number]),
        "DOUBLE": number + 0.5,
        "BIGINT": number + 1,
        "INTEGER": number + 1,
    }
    return by_kind.get(kind, f"{name}-{number}")


def _tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]


def write_fixture(database: Path) -> Path:
    """Write the fixture of a database."""
    with duckdb.connect(database) as connection, tempfile.TemporaryDirectory() as folder:
        version = _one(connection, "SELECT max(version) FROM schema_migration")
        target = FILES / f"{version:04}.zip"
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for table in _tables(connection):
                if table in OWN or not _count(connection, table):
                    continue
                part = Path(folder) / f"{table}.parquet"
                sql = (
                    f"COPY (SELECT * FROM \"{table}\" LIMIT {MOST_ROWS}) TO '{part}' (FORMAT parquet, COMPRESSION zstd)"
                )
                connection.execute(sql)
                archive.write(part, part.name)
    return target


def _count(connection: duckdb.DuckDBPyConnection, table: str) -> int:
    return int(_one(connection, f'SELECT count(*) FROM "{table}"'))


def _one(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    row = connection.execute(sql).fetchone()
    assert row is not None
    return row[0]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        found = write_fixture(Path(name))
        sys.stdout.write(f"{found}: {found.stat().st_size} bytes\n")
