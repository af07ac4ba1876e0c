"""The migrations of a lake. Each belongs to the migration of the database file with the same number and name.

A file `sql/lake/migrations/0091_what_it_does.sql` has two parts, each after its line:

| line | its statements run |
|---|---|
| `-- large tables` | in DuckLake, in one transaction |
| `-- control tables` | in PostgreSQL, in one transaction with the record of the migration |

A part without statements is empty. Views are created at each start and need no statement, but a migration of only views
needs its file. Functions and triggers of `sql/lake` change with CREATE OR REPLACE in the second part.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from monitor.errors import ConfigError
from monitor.store.engine.migrations import Migration, known_migrations, read_migration
from monitor.store.engine.statements import SQL_FOLDER

FOLDER: Final = SQL_FOLDER / "lake" / "migrations"
# The schema version of the first lakes. Until a release has lakes, set it to each new migration instead of writing one
# for lakes. Then add the texts of `sql/lake` of that release to the test of the migrations.
FIRST: Final = 88
_PARTS: Final = re.compile(r"^-- large tables\n(.*)^-- control tables\n(.*)\Z", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeMigration:
    """`of_file` is the migration of the database file with the same number: its record is that of the lake."""

    of_file: Migration
    large: str
    control: str

    @property
    def version(self) -> int:
        return self.of_file.version


def lake_migrations(folder: Path = FOLDER, known: list[Migration] | None = None) -> list[LakeMigration]:
    """Return the migrations of the first lakes to the schema of this driftd, in order. `known` are those of a file.

    Raises ConfigError when one is missing or has no counterpart.
    """
    wanted = {one.version: one for one in known or known_migrations() if one.version > FIRST}
    found = {one.version: one for one in map(read_migration, sorted(folder.glob("*.sql")))}
    if {(one.version, one.name) for one in wanted.values()} != {(one.version, one.name) for one in found.values()}:
        unlike = sorted({one.version for one in (*wanted.values(), *found.values())} - (wanted.keys() & found.keys()))
        raise ConfigError(f"the migrations {unlike} of a lake are not those of the database file; reinstall driftd")
    return [_read(one, wanted[version]) for version, one in sorted(found.items())]


def _read(found: Migration, of_file: Migration) -> LakeMigration:
    parts = _PARTS.search(found.sql)
    if parts is None:
        raise ConfigError(
            f"the migration {found.version} of a lake needs the lines '-- large tables' and '-- control tables'"
        )
    return LakeMigration(of_file=of_file, large=parts[1].strip(), control=parts[2].strip())
