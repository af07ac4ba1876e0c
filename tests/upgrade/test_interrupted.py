"""A migration that is killed at any step leaves a file that the next start opens and completes."""

import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from monitor.clock import SystemClock
from monitor.store.engine.database import Store
from monitor.store.engine.migrations import known_migrations, migrate
from tests.upgrade.old_file import WRITTEN, build, fixtures

STEPS = len(known_migrations())
# Opens the file, and kills its own process at the first COMMIT of a migration: before it, or after it.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from monitor.clock import SystemClock
from monitor.store.engine import connect
from monitor.store.engine.database import Store

class Killed:
    def __init__(self, cursor):
        self._cursor = cursor

    def execute(self, sql, *values):
        if sql == "COMMIT" and sys.argv[2] == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        found = self._cursor.execute(sql, *values)
        if sql == "COMMIT" and sys.argv[2] == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return found

migrate = connect.migrate
connect.migrate = lambda cursor, *rest, **options: migrate(Killed(cursor), *rest, **options)
Store.open(Path(sys.argv[1]), clock=SystemClock()).close()
"""


def killed(path: Path, when: str) -> int:
    """Open the file in a process that dies at its first commit. Return its exit code."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), when], capture_output=True, check=False, timeout=120
    )
    assert done.returncode in {0, -signal.SIGKILL}, done.stderr.decode()[-2000:]
    return done.returncode


def applied(path: Path) -> int:
    with duckdb.connect(path) as connection:
        if ("schema_migration",) not in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            return 0
        row = connection.execute("SELECT count(*) FROM schema_migration").fetchone()
        assert row is not None
        return int(row[0])


def content(path: Path) -> dict[str, list[str]]:
    """Return every row of every table; times and ids of the start itself are left out."""
    own = {"watermark", "schema_migration"}
    with duckdb.connect(path, read_only=True) as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        return {
            table: sorted(map(repr, connection.sql(f'SELECT * FROM "{table}"').to_arrow_table().to_pylist()))
            for table in tables
            if table not in own
        }


def opened(path: Path) -> dict[str, list[str]]:
    Store.open(path, clock=SystemClock()).close()
    assert applied(path) == STEPS
    return content(path)


@pytest.mark.parametrize(
    ("fixture", "most"), [(fixtures()[0], STEPS), (fixtures()[-1], 3)], ids=["every migration", "the newest"]
)
def test_a_kill_at_every_commit_of_an_upgrade_leaves_the_file_that_an_upgrade_without_kills_leaves(
    tmp_path: Path, fixture: Path, most: int
) -> None:
    """Each missing migration is killed twice: before its commit, which leaves nothing of it, and after its commit."""
    plain, path = tmp_path / "plain.duckdb", tmp_path / "killed.duckdb"
    for file in (plain, path):
        build(fixture, file)
        with duckdb.connect(file) as connection:
            connection.execute("SET GLOBAL TimeZone = 'UTC'")
            if most < STEPS:
                migrate(connection, known_migrations()[:-most], file, WRITTEN)
    done = applied(path)
    assert done < STEPS
    for step in range(done, STEPS):
        assert killed(path, "before") == -signal.SIGKILL
        assert applied(path) == step
        assert killed(path, "after") == -signal.SIGKILL
        assert applied(path) == step + 1
    assert opened(path) == opened(plain)
