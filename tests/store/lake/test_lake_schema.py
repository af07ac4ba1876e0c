import re

import duckdb

from monitor.store.engine.append_only import FACTS
from monitor.store.engine.schema import TABLES
from monitor.store.engine.statements import SQL_FOLDER
from monitor.store.engine.used_tables import changed_table
from monitor.store.lake import schema
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.schema import for_postgresql, schema_texts


def test_the_schema_of_a_lake_is_that_of_the_migrations() -> None:
    texts = {path.stem: path.read_text() for path in schema.FOLDER.glob("*.sql")}
    made = schema_texts() | {name: texts[name] for name in ("fence", "imports", "leases", "slices", "statistics")}
    if duckdb.__version__ == "1.5.5":  # it writes another text when it reads a view that it wrote
        assert created_views(texts.pop("views")) == created_views(made.pop("views")) != []
    assert texts == made, "run python -m monitor.store.lake.schema"


def created_views(sql: str) -> list[str]:
    return re.findall(r"^CREATE VIEW (\w+)", sql, re.MULTILINE)


def test_types_become_those_of_postgresql_outside_of_literals() -> None:
    made = "CREATE TABLE t(a VARCHAR DEFAULT('a DOUBLE'), b DOUBLE, c BLOB NOT NULL, d TIMESTAMP WITH TIME ZONE);"
    assert for_postgresql(made) == (
        "CREATE TABLE t(a text COLLATE \"C\" DEFAULT('a DOUBLE'), b double precision, c bytea NOT NULL, d timestamptz);"
    )


def test_large_tables_are_tables() -> None:
    assert TABLES.keys() | FACTS.keys() >= LARGE


def test_the_changed_table_of_every_statement_is_known() -> None:
    created = re.findall(r'CREATE TABLE "?(\w+)', schema.text("control_tables") + schema.text("large_tables"))
    changed = {}
    for path in SQL_FOLDER.glob("*.sql"):
        sql = path.read_text()
        try:
            changed[path.stem] = changed_table(sql)
        except ValueError:
            continue
    assert changed["move_kafka_offsets"] == "kafka_offset"
    assert changed["retract_feedback"] == "feedback_end"
    assert {name: table for name, table in changed.items() if table not in created} == {}
