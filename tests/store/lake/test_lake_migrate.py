"""A newer driftd migrates the lake of an older one. The migration here is invented."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Thread
from typing import Any

import duckdb
import pytest

from monitor.errors import ConfigError, SchemaTooNew
from monitor.store.engine.database import Store
from monitor.store.engine.migrations import known_migrations
from monitor.store.lake import create, migrate
from monitor.store.lake.connect import attach_control, attach_lake, duckdb_with_extensions
from monitor.store.lake.create import create_lake
from monitor.store.lake.migrate import migrate_lake, session_name
from monitor.store.lake.migrations import FIRST, LakeMigration, lake_migrations
from monitor.store.lake.schema import schema_texts, text
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.store.build import START, HandClock, interaction, run
from tests.store.lake.lakes import Lakes

NEWEST = known_migrations()[-1]
INVENTED = replace(NEWEST, version=NEWEST.version + 1, name="invented", checksum="c")
SQL = """\
-- What it does.
-- large tables
ALTER TABLE interaction ADD COLUMN invented VARCHAR;
UPDATE interaction SET duration_ms = duration_ms + 1;
CREATE TABLE invented_end(id VARCHAR NOT NULL);
-- control tables
ALTER TABLE run ADD COLUMN invented text COLLATE "C";
UPDATE run SET invented = 'old';
CREATE TABLE invented(id text COLLATE "C" PRIMARY KEY);
CREATE UNIQUE INDEX invented_key ON run(invented, id);
"""
COLUMNS = """
SELECT table_name, column_name, data_type, is_nullable, column_default FROM duckdb_columns()
WHERE database_name = 'lake' ORDER BY table_name, column_index
"""


@pytest.fixture
def invented(tmp_path: Path) -> list[LakeMigration]:
    (tmp_path / f"{INVENTED.version:04}_invented.sql").write_text(SQL)
    return lake_migrations(tmp_path, [*known_migrations(), INVENTED])


@pytest.fixture
def older(lakes: Lakes, clock: HandClock) -> str:
    """A lake with a call and a run."""
    name = lakes.create()
    store = lakes.open(name, clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a", duration_ms=1.0)])
        runs.insert(tx, run("r"))
    store.close()
    return name


def connected(lakes: Lakes, database: str, session: str) -> duckdb.DuckDBPyConnection:
    connection = duckdb_with_extensions(512, 1)
    attach_control(connection, lakes.server.url(database), session)
    attach_lake(connection, lakes.server.url(database), lakes.data, session)
    return connection


def migrated(lakes: Lakes, database: str, migrations: list[LakeMigration]) -> int:
    """Migrate as a process does."""
    session = session_name()
    connection = connected(lakes, database, session)
    try:
        return migrate_lake(connection, session, START, migrations=migrations)
    finally:
        connection.close()


def schema_of(lakes: Lakes, database: str) -> tuple[list[Any], list[str]]:
    """Return everything that a migration must create: the columns of large tables, and the schema in PostgreSQL."""
    connection = connected(lakes, database, "test")
    try:
        return connection.execute(COLUMNS).fetchall(), lakes.server.schema(database)
    finally:
        connection.close()


def new_lake(lakes: Lakes, name: str, texts: Callable[[str], str]) -> None:
    """Create a lake from other texts of `sql/lake`."""
    lakes.server.run(f"CREATE DATABASE {name}")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(create, "text", texts)
        create_lake(lakes.server.url(name), lakes.data, START)


def require_migrated(lakes: Lakes, database: str) -> None:
    connection = connected(lakes, database, "test")
    rows = connection.execute("SELECT id, duration_ms, invented FROM lake.main.interaction").fetchall()
    connection.close()
    assert rows == [("a", 2.0, None)]
    assert lakes.server.run("SELECT id, invented FROM main.run", database) == "r|old"
    assert lakes.server.run("SELECT max(version) FROM main.schema_migration", database) == str(INVENTED.version)


def test_a_migration_changes_both_kinds_of_tables_once(
    lakes: Lakes, older: str, invented: list[LakeMigration], clock: HandClock
) -> None:
    assert migrated(lakes, older, invented) == 1
    require_migrated(lakes, older)
    assert migrated(lakes, older, invented) == 0
    require_migrated(lakes, older)
    with pytest.raises(SchemaTooNew, match="install a newer driftd"):
        lakes.open(older, clock)
    with pytest.raises(SchemaTooNew):
        create_lake(lakes.server.url(older), lakes.data, START)


def test_a_migrated_lake_is_a_new_lake(lakes: Lakes, invented: list[LakeMigration], tmp_path: Path) -> None:
    name = lakes.create()
    migrated(lakes, name, invented)

    def texts(file: str) -> str:
        added = {
            "large_tables": "CREATE TABLE invented_end(id VARCHAR NOT NULL);\n",
            "control_tables": 'CREATE TABLE invented(id text COLLATE "C" PRIMARY KEY);\n'
            "CREATE UNIQUE INDEX invented_key ON run(invented, id);\n",
        }
        columns = {"interaction": ", invented VARCHAR);", "run": ', invented text COLLATE "C");'}
        lines = [
            line.removesuffix(");") + columns[table] if (table := created(line)) in columns else line
            for line in text(file).splitlines()
        ]
        return "\n".join(lines) + "\n" + added.get(file, "")

    found, of_older = schema_of(lakes, name), schema_of(lakes, lakes.create())
    with lakes.in_folder(tmp_path / "new"):
        new_lake(lakes, "lake_of_invented", texts)
        assert found == schema_of(lakes, "lake_of_invented") != of_older


def created(line: str) -> str:
    return line.removeprefix("CREATE TABLE ").partition("(")[0] if line.startswith("CREATE TABLE") else ""


def test_the_migrations_of_a_lake_lead_to_the_tables_of_new_lakes(lakes: Lakes, tmp_path: Path) -> None:
    first = schema_texts([one for one in known_migrations() if one.version <= FIRST])
    with lakes.in_folder(tmp_path):
        new_lake(lakes, "first_lake", lambda file: first.get(file) or text(file))
        lakes.server.run(f"DELETE FROM main.schema_migration WHERE version > {FIRST}", "first_lake")
        assert migrated(lakes, "first_lake", lake_migrations()) == NEWEST.version - FIRST
        found = schema_of(lakes, "first_lake")
    assert found == schema_of(lakes, lakes.create())


@pytest.mark.parametrize("at", ["_apply_control", "_apply_large"])
def test_a_migration_that_is_killed_continues(
    lakes: Lakes, older: str, invented: list[LakeMigration], monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(migrate, at, killed)
        with pytest.raises(SystemExit):
            migrated(lakes, older, invented)
    assert migrated(lakes, older, invented) == 1
    require_migrated(lakes, older)


def killed(*_: object) -> None:
    raise SystemExit


def test_two_processes_migrate_once(lakes: Lakes, older: str, invented: list[LakeMigration]) -> None:
    done: list[int | str] = []

    def start() -> None:
        try:
            done.append(migrated(lakes, older, invented))
        except ConfigError as error:
            done.append(str(error))

    threads = [Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if 1 not in done:  # each of them saw the other one
        done.append(migrated(lakes, older, invented))
    assert done.count(1) == 1
    require_migrated(lakes, older)


def test_a_lake_in_use_is_not_migrated(
    lakes: Lakes, older: str, invented: list[LakeMigration], clock: HandClock
) -> None:
    store: Store = lakes.open(older, clock)
    with pytest.raises(ConfigError, match="stop them before its migration"):
        migrated(lakes, older, invented)
    with store.read() as tx:
        assert interactions.count(tx) == 1
    store.close()
    assert migrated(lakes, older, invented) == 1


def test_a_failed_migration_changes_nothing_in_its_part(
    lakes: Lakes, older: str, invented: list[LakeMigration]
) -> None:
    broken = replace(invented[0], control=invented[0].control + "\nALTER TABLE unknown ADD COLUMN x int;")
    with pytest.raises(duckdb.Error, match="unknown"):
        migrated(lakes, older, [broken])
    assert lakes.server.run("SELECT max(version) FROM main.schema_migration", older) == str(NEWEST.version)
    assert migrated(lakes, older, invented) == 1
    require_migrated(lakes, older)
