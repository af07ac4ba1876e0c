"""A new file starts with one text instead of every migration: both must give the same database."""

import hashlib
from pathlib import Path
from typing import Any

import duckdb
import pytest

from monitor.errors import ConfigError
from monitor.store.engine import new_schema as module
from monitor.store.engine.connect import connect
from monitor.store.engine.migrations import Migration, known_migrations, migrate
from monitor.store.engine.new_schema import new_schema, schema_after
from tests.store.build import START

PLACE = Path("here.duckdb")
# DuckDB 1.5.5 writes other parentheses when it reads a view that it wrote; then the columns are compared alone.
VIEW_TEXT = "column_count" if duckdb.__version__ == "1.5.5" else "column_count, sql, comment"
CATALOG = {
    "tables": "SELECT table_name, sql FROM duckdb_tables()",
    "columns": "SELECT table_name, column_index, column_name, data_type, is_nullable, column_default, "
    "numeric_precision FROM duckdb_columns() WHERE NOT internal",
    "constraints": "SELECT table_name, constraint_type, constraint_text, constraint_column_names, constraint_name "
    "FROM duckdb_constraints()",
    "indexes": "SELECT table_name, index_name, is_unique, is_primary, expressions, sql FROM duckdb_indexes()",
    "views": f"SELECT view_name, {VIEW_TEXT} FROM duckdb_views() WHERE NOT internal",
    "sequences": "SELECT sequence_name, sql FROM duckdb_sequences()",
    "types": "SELECT type_name, type_category, labels FROM duckdb_types() WHERE NOT internal",
    "functions": "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal",
}


def database(cursor: duckdb.DuckDBPyConnection) -> dict[str, list[Any]]:
    """Return everything that the catalog has, and the rows of every table without the times of migrations."""
    found = {name: sorted(cursor.execute(sql).fetchall(), key=repr) for name, sql in CATALOG.items()}
    for (table,) in cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall():
        found[f"rows of {table}"] = sorted(
            cursor.execute(f'SELECT COLUMNS(*)::VARCHAR FROM "{table}"').fetchall(), key=repr
        )
    return found


def migrated(known: list[Migration], schema: Migration | None) -> dict[str, list[Any]]:
    with duckdb.connect() as cursor:
        migrate(cursor, known, PLACE, START, new_schema=None if schema is None else lambda: schema)
        return database(cursor)


@pytest.fixture(scope="module")
def step_by_step() -> dict[str, list[Any]]:
    return migrated(known_migrations(), None)


def test_a_new_file_has_what_every_migration_would_give(step_by_step: dict[str, list[Any]]) -> None:
    at_once = migrated(known_migrations(), new_schema())
    assert {name: rows for name, rows in at_once.items() if rows != step_by_step[name]} == {}
    assert at_once.keys() == step_by_step.keys()
    assert len(at_once["tables"]) >= 80
    assert len(at_once["rows of schema_migration"]) == len(known_migrations())


def test_the_views_of_both_databases_can_be_read(tmp_path: Path) -> None:
    with connect(tmp_path / "new.duckdb", 256, START) as cursor:
        for (view,) in cursor.execute("SELECT view_name FROM duckdb_views() WHERE NOT internal").fetchall():
            assert cursor.execute(f'SELECT * FROM "{view}"').fetchall() == []


def test_a_store_creates_its_file_from_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = new_schema().sql + "CREATE TABLE only_here (a BIGINT);"
    changed = Migration(version=new_schema().version, name="all_tables", sql=sql, checksum="c")
    monkeypatch.setattr("monitor.store.engine.connect.new_schema", lambda: changed)
    with connect(tmp_path / "new.duckdb", 256, START) as cursor:
        assert cursor.execute("SELECT * FROM only_here").fetchall() == []


def test_migrations_after_the_text_are_applied_to_a_new_file(step_by_step: dict[str, list[Any]]) -> None:
    known = known_migrations()
    for cut in (1, 5):
        early = Migration(version=known[-1 - cut].version, name="early", sql=schema_after(known[:-cut]), checksum="c")
        assert migrated(known, early) == step_by_step


def test_a_file_with_a_migration_gets_the_others_one_by_one() -> None:
    known = known_migrations()
    with duckdb.connect() as cursor:
        migrate(cursor, known[:1], PLACE, START)
        assert migrate(cursor, known, PLACE, START, new_schema=pytest.fail) == len(known) - 1


def test_a_text_that_fails_leaves_a_file_without_tables() -> None:
    broken = Migration(
        version=2, name="broken", sql="CREATE TABLE two (a BIGINT); SELECT * FROM nowhere;", checksum="c"
    )
    with duckdb.connect() as cursor:
        with pytest.raises(duckdb.CatalogException):
            migrate(cursor, known_migrations(), PLACE, START, new_schema=lambda: broken)
        assert cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall() == [("schema_migration",)]
        assert cursor.execute("SELECT count(*) FROM schema_migration").fetchall() == [(0,)]


def test_migrations_that_insert_rows_have_no_text() -> None:
    sql = "CREATE TABLE one (a BIGINT); INSERT INTO one VALUES (1);"
    with pytest.raises(ValueError, match="insert rows into one"):
        schema_after([Migration(version=1, name="one", sql=sql, checksum=hashlib.sha256(sql.encode()).hexdigest())])


def test_an_installation_without_the_text_names_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(ConfigError, match="has 0 files instead of one; reinstall driftd"):
        new_schema()
