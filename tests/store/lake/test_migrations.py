"""Every migration of the database file after the first lakes has a migration of lakes."""

from dataclasses import replace
from pathlib import Path

import pytest

from monitor.errors import ConfigError
from monitor.store.engine.migrations import known_migrations
from monitor.store.lake.migrations import FIRST, lake_migrations

KNOWN = known_migrations()
NEXT = replace(KNOWN[-1], version=KNOWN[-1].version + 1, name="next")


def test_each_migration_has_its_counterpart() -> None:
    assert [one.version for one in lake_migrations()] == [one.version for one in KNOWN if one.version > FIRST]


def test_a_missing_or_foreign_migration_is_an_error(tmp_path: Path) -> None:
    older = [one for one in KNOWN if one.version <= FIRST]
    with pytest.raises(ConfigError, match=str(NEXT.version)):
        lake_migrations(tmp_path, [*older, NEXT])
    (tmp_path / f"{NEXT.version:04}_other.sql").write_text("-- large tables\n-- control tables\n")
    with pytest.raises(ConfigError):
        lake_migrations(tmp_path, [*older, NEXT])


def test_a_migration_has_two_parts(tmp_path: Path) -> None:
    older = [one for one in KNOWN if one.version <= FIRST]
    file = tmp_path / f"{NEXT.version:04}_next.sql"
    file.write_text("-- Why.\n-- large tables\nA;\nB;\n-- control tables\n")
    [found] = lake_migrations(tmp_path, [*older, NEXT])
    assert (found.version, found.large, found.control) == (NEXT.version, "A;\nB;", "")
    file.write_text("SELECT 1")
    with pytest.raises(ConfigError, match="needs the lines"):
        lake_migrations(tmp_path, [*older, NEXT])
