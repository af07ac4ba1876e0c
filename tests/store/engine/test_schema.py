import pyarrow as pa
import pytest

from monitor.errors import MalformedRecord
from monitor.store.engine.append_only import FACTS, FOLDED, VIEWS
from monitor.store.engine.database import Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.schema import TABLES, table_of
from tests.store.build import START

KINDS = {
    "VARCHAR": pa.string(),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", tz="UTC"),
    "DOUBLE": pa.float64(),
    "BIGINT": pa.int64(),
    "BOOLEAN": pa.bool_(),
    "BLOB": pa.binary(),
    "DATE": pa.date32(),
}
SCHEMA = pa.schema([("name", pa.string()), ("count", pa.int64()), ("at", pa.timestamp("us", tz="UTC"))])


def columns_of_the_database(store: FileStore) -> dict[str, dict[str, pa.DataType]]:
    tables: dict[str, dict[str, pa.DataType]] = {}
    with store._cursors.lend() as cursor:
        rows = cursor.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE NOT internal"
        ).fetchall()
    for table, column, kind in rows:
        tables.setdefault(table, {})[column] = KINDS[kind]
    return tables


def test_every_table_has_the_columns_and_types_of_its_arrow_schema(store: FileStore) -> None:
    there = columns_of_the_database(store)
    known = {name: dict(zip(schema.names, schema.types, strict=True)) for name, schema in TABLES.items()}
    assert {name: there[VIEWS.get(name, name)] for name in known} == known
    assert {name: there[VIEWS[name]] for name in VIEWS} == {name: there[FOLDED[VIEWS[name]]] for name in VIEWS}
    assert there.keys() - known.keys() == {
        "schema_migration",
        "case_access",
        "case_result",
        "case_verdict",
        "run_count",
        "run_judge",
        "run_metric",
        "run_tally",
        "settled_run",
        "unsettled_metric",
        "settled_day",
        "day_traffic",
        "day_correction",
        "day_latency",
        "day_ending",
        "day_continuation",
        "configured_token_use",
        "correction_signal",
        *FACTS,
        *VIEWS.values(),
        *FOLDED.values(),
        "feedback_override",
        "unsettled_case",
        "sample_result",
        "folded_sample",
        "metric_sample",
        "dynamic_case",
        "file_position",
        "watermark",
        "loss",
    }


def test_rows_become_columns_and_what_a_row_lacks_is_null() -> None:
    table = table_of(SCHEMA, [{"name": "a", "count": 1, "at": START}, {"name": "b", "more": "ignored"}])
    assert table.to_pylist() == [{"name": "a", "count": 1, "at": START}, {"name": "b", "count": None, "at": None}]


def test_half_a_surrogate_pair_becomes_the_replacement_character() -> None:
    table = table_of(SCHEMA, [{"name": "a\ud800b"}, {"name": None}, {"name": "😀"}])
    assert table["name"].to_pylist() == ["a\ufffdb", None, "😀"]


@pytest.mark.parametrize("row", [{"count": 2**63}, {"count": "seven"}, {"name": 7}, {"at": "yesterday"}])
def test_a_value_that_its_column_cannot_hold_is_named(row: dict[str, object]) -> None:
    with pytest.raises(MalformedRecord, match=f"column '{next(iter(row))}' cannot hold one of its 1 values"):
        table_of(SCHEMA, [row])


def test_columns_go_to_known_tables_alone(tx: Tx) -> None:
    with pytest.raises(KeyError, match="'schema_migration' is not one of"):
        tx.insert("schema_migration", table_of(SCHEMA, []))
