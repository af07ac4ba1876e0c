"""The schema of a lake, in three files of `sql/lake`: `python -m monitor.store.lake.schema` writes them from the
migrations of the database file. A test compares them with the migrations.

| file | what it creates | where |
|---|---|---|
| `large_tables.sql` | the large tables | DuckLake |
| `control_tables.sql` | the other tables, with their keys and indexes | PostgreSQL |
| `views.sql` | the views over both | the memory of each process |
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

from monitor.store.engine.migrations import Migration, known_migrations
from monitor.store.engine.new_schema import schema_after
from monitor.store.engine.statements import SQL_FOLDER, statement
from monitor.store.lake.large_tables import LARGE

FOLDER: Final = SQL_FOLDER / "lake"
# Collation "C" compares bytes, as DuckDB does: the extension may send a comparison to PostgreSQL.
TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "VARCHAR": 'text COLLATE "C"',
        "DOUBLE": "double precision",
        "BLOB": "bytea",
        "TIMESTAMP WITH TIME ZONE": "timestamptz",
    }
)
_CREATED: Final = re.compile(r'CREATE (TABLE|VIEW|INDEX) "?(\w+)')
_LITERAL_OR_TYPE: Final = re.compile(rf"'(?:[^']|'')*'|\b(?:{'|'.join(TYPES)})\b")
# The only writer of a file checks these keys itself. Several processes need the database to refuse the second row.
KEYS: Final = """\
CREATE UNIQUE INDEX kafka_offset_key ON kafka_offset(cluster_id, topic_id, "partition");
CREATE UNIQUE INDEX file_position_key ON file_position(digest);
CREATE UNIQUE INDEX audit_entry_key ON audit_entry(number);
"""


def text(name: str) -> str:
    """Return the text of `sql/lake/<name>.sql`."""
    return (FOLDER / f"{name}.sql").read_text(encoding="utf-8")


def schema_texts(known: list[Migration] | None = None) -> dict[str, str]:
    """Return the text of each file, by name without `.sql`, from migrations: all of them, or those `known`."""
    known = known or known_migrations()
    large, control, views, indexes = [], [_ledger()], [], []
    for line in schema_after(known).splitlines():
        found = _CREATED.match(line)
        assert found is not None, line
        kind, name = found.groups()
        if kind == "VIEW":
            views.append(line)
        elif kind == "INDEX":
            indexes.append(line)
        elif name in LARGE:
            large.append(line)
        else:
            control.append(for_postgresql(line))
    first = f"-- The {{}} after migration {known[-1].version} (python -m monitor.store.lake.schema).\n"
    return {
        "large_tables": first.format("large tables of a lake") + _lines(large),
        "control_tables": first.format("control tables of a lake") + _lines([*control, *indexes]) + KEYS,
        "views": first.format("views of a lake") + _lines(views),
    }


def for_postgresql(created: str) -> str:
    """Return a CREATE TABLE of DuckDB with the types of PostgreSQL."""
    return _LITERAL_OR_TYPE.sub(lambda found: TYPES.get(found[0], found[0]), created)


def _ledger() -> str:
    """Return the table that records the migrations, in one line."""
    sql = re.sub(r"--.*", "", statement("create_schema_migration")).replace("IF NOT EXISTS ", "")
    return for_postgresql(" ".join(sql.split()).rstrip(";") + ";")


def _lines(statements: list[str]) -> str:
    return "".join(each + "\n" for each in statements)


def main() -> int:
    FOLDER.mkdir(exist_ok=True)
    for name, content in schema_texts().items():
        Path(FOLDER / f"{name}.sql").write_text(content, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
