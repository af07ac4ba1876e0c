"""The schema of new files: the result of many migrations in one text, because one statement for each table takes a
quarter of the time of all migrations. `python -m monitor.store.engine.new_schema` writes it from the migrations.

A new file gets this schema and then the migrations after it. Therefore a new migration needs no new text; write one
before a release.
"""

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import duckdb

from monitor.errors import ConfigError
from monitor.store.engine.migrations import Migration, known_migrations, migrate, read_migration
from monitor.store.engine.statements import SQL_FOLDER

FOLDER: Final = SQL_FOLDER / "new_schema"
NAME: Final = "all_tables"
_TABLES: Final = """
SELECT table_name, sql FROM duckdb_tables() WHERE NOT internal AND table_name <> 'schema_migration' ORDER BY table_oid
"""
_VIEWS: Final = "SELECT sql FROM duckdb_views() WHERE NOT internal ORDER BY view_oid"
_INDEXES: Final = "SELECT sql FROM duckdb_indexes() ORDER BY index_oid"


def new_schema() -> Migration:
    """Return the schema of new files. Its version is that of the last migration that it includes."""
    found = [read_migration(path) for path in FOLDER.glob("*.sql")]
    if len(found) != 1:
        raise ConfigError(f"{FOLDER} has {len(found)} files instead of one; reinstall driftd")
    return found[0]


def schema_after(known: list[Migration]) -> str:
    """Return the statements that create the tables, views and indexes that the migrations leave in an empty file.

    Raises ValueError when the migrations leave rows: the text has none.
    """
    with duckdb.connect() as connection:
        migrate(connection, known, Path("new_schema"), datetime.now(UTC))
        tables = connection.execute(_TABLES).fetchall()
        for table, _ in tables:
            if connection.execute(f'SELECT count(*) FROM "{table}"').fetchall() != [(0,)]:  # noqa: S608 - from the catalog
                raise ValueError(f"the migrations insert rows into {table}; the schema of new files would lose them")
        views, indexes = ([row[0] for row in connection.execute(sql).fetchall()] for sql in (_VIEWS, _INDEXES))
    created = [sql for _, sql in tables]
    return "\n".join([*created, *_by_use(created, views), *indexes]) + "\n"


def _by_use(tables: list[str], views: list[str]) -> list[str]:
    """Return the views in an order in which each is created after the views that it reads."""
    ordered: list[str] = []
    with duckdb.connect() as connection:
        connection.execute("\n".join(tables))
        while views:
            waiting = []
            for view in views:
                try:
                    connection.execute(view)
                except duckdb.CatalogException:
                    waiting.append(view)
                else:
                    ordered.append(view)
            if len(waiting) == len(views):
                raise ValueError(f"a view reads an unknown table or view: {views[0]}")
            views = waiting
    return ordered


def main() -> int:
    known = known_migrations()
    last = known[-1].version
    text = f"-- The schema after migration {last}, for new files (python -m {__spec__.name}).\n" + schema_after(known)
    for path in FOLDER.glob("*.sql"):
        path.unlink()
    (FOLDER / f"{last:04}_{NAME}.sql").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
