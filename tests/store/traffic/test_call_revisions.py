"""Calls that are appended again give the rows that an UPDATE would give, in any order and folded at any time."""

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.store.backup.backups import Backups, Order
from monitor.store.backup.manifest import PARQUET
from monitor.store.engine.append_only import FACTS
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.engine.schema import FILLED, FILLED_AROUND, FILLED_CALLS, KEPT_REPORTS, table_of
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.maintenance.fold import any_fact, fold
from monitor.store.traffic import duplicates, interactions
from monitor.store.traffic.call_revisions import revise
from monitor.store.traffic.trace_calls import set_kept_reports
from tests.properties import examples
from tests.store.backup.exporting import exported
from tests.store.build import HandClock, at, interaction, undone, user
from tests.store.readable import where_in_tables, where_on_disk

IDS = [f"call-{n}" for n in range(4)]
SCHEMAS = {
    "fill_interactions": FILLED,
    "fill_calls": FILLED_CALLS,
    "set_span_context": FILLED_AROUND,
    "set_kept_reports": KEPT_REPORTS,
    "set_duplicate_of": KEPT_REPORTS,
}
REQUIRED = {"input_messages", "output_messages", "input_text", "output_text", "status", "content_state"}
TARGETS = {"kept": "duplicate_of"}
VALUES: dict[Any, list[Any]] = {pa.string(): ["a", "b"], pa.float64(): [1.0, 2.0], pa.int64(): [1, 2]}
COMPARED = (
    'SELECT * FROM {} ORDER BY id, started_at, received_at, hash(input_text, output_text, duplicate_of, "identity")'
)


def cell(field: pa.Field, rows: list[str]) -> st.SearchStrategy[Any]:
    """Return values of a column. A kept report is one of the calls."""
    values = rows if field.name == "kept" else VALUES[field.type]
    return st.sampled_from(values if field.name in REQUIRED else [None, *values])


@st.composite
def changes(draw: st.DrawFn) -> tuple[str, list[dict[str, Any]], datetime]:
    name = draw(st.sampled_from(sorted(SCHEMAS)))
    ids = draw(st.lists(st.sampled_from([*IDS, "missing"]), min_size=1, max_size=3, unique=True))
    fields = [field for field in SCHEMAS[name] if field.name != "id"]
    rows = [{"id": id_} | {field.name: draw(cell(field, IDS)) for field in fields} for id_ in ids]
    return name, rows, at(draw(st.integers(0, 3)))


steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("insert"), st.lists(st.tuples(st.sampled_from(IDS), st.integers(0, 3)), min_size=1, max_size=3)
        ),
        st.tuples(st.just("change"), changes()),
        st.tuples(st.just("fold"), st.none()),
    ),
    min_size=2,
    max_size=10,
)


def insert(tx: Tx, calls: list[tuple[str, int]]) -> None:
    """Store calls. One id may have two rows, when their sender started them at different times."""
    rows = [interaction(id_, started_at=at(minute), received_at=at(minute)) for id_, minute in calls]
    before = {tuple(row) for row in _keys(tx, "interaction")}
    interactions.insert(tx, rows)
    new = {tuple(row) for row in _keys(tx, "interaction")} - before
    for id_, started_at in new:
        tx._cursor.execute(
            "INSERT INTO updated FROM current_interaction WHERE id = $id AND epoch_us(started_at) = $at",
            {"id": id_, "at": started_at},
        )


def _keys(tx: Tx, table: str) -> list[tuple[Any, ...]]:
    return tx._cursor.execute(f"SELECT id, epoch_us(started_at) FROM {table}").fetchall()


def update(tx: Tx, name: str, batch: pa.Table, since: datetime) -> int:
    """Change the rows of the model, and return their number."""
    names = [column for column in batch.column_names if column != "id"]
    columns = ", ".join(f"{TARGETS.get(column, column)} = batch.{column}" for column in names)
    key = "coalesce(updated.duplicate_of, updated.id)" if name == "set_duplicate_of" else "updated.id"
    tx._cursor.register("batch", batch)
    sql = f"UPDATE updated SET {columns} FROM batch WHERE {key} = batch.id AND updated.received_at >= $since"
    [(changed,)] = tx._cursor.execute(sql, {"since": since}).fetchall()
    return int(changed)


def raw(tx: Tx, table: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tx._cursor.sql(COMPARED.format(table)).to_arrow_table().to_pylist()
    return found


@settings(max_examples=examples(160), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps)
def test_facts_and_folds_in_any_order_give_the_rows_of_updates(store: Store, steps: list[Any]) -> None:
    with undone(store) as tx:
        tx._cursor.execute("CREATE TEMP TABLE updated AS FROM folded_interaction LIMIT 0")
        insert(tx, [(id_, n) for n, id_ in enumerate(IDS)])
        for kind, given_ in steps:
            if kind == "insert":
                insert(tx, given_)
            elif kind == "fold":
                fold(tx)
            else:
                name, rows, since = given_
                batch = table_of(SCHEMAS[name], rows)
                assert revise(tx, name, batch, since=since) == update(tx, name, batch, since)
            assert raw(tx, "current_interaction") == raw(tx, "updated")
        fold(tx)
        assert not any_fact(tx)
        assert raw(tx, "current_interaction") == raw(tx, "folded_interaction") == raw(tx, "updated")
        assert tx._cursor.execute("SELECT count(*) FROM interaction WHERE revision <> 0").fetchall() == [(0,)]


def kept(tx: Tx) -> dict[str, str | None]:
    found = interactions.page(tx, PageQuery(limit=100)).items
    assert len({call.id for call in found}) == len(found), "a call is read once"
    return {call.id: call.duplicate_of for call in found}


def test_a_commit_folds_the_facts_of_calls(store: FileStore) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a"), interaction("b"), interaction("c")])
    with store.write() as tx:
        assert set_kept_reports(tx, {"a": "b"}, calls_since=at(0), since=at(0)) == 1
        assert duplicates.mark(tx, {"b": "c"}, since=at(0)) == 2
        assert any_fact(tx)
        assert kept(tx) == {"a": "c", "b": "c", "c": None}
    with store.read() as tx:
        assert not any_fact(tx)
        assert kept(tx) == {"a": "c", "b": "c", "c": None}
    assert store.scan_table("interaction").rows == 3
    assert store.scan_table("interaction_end").rows == 0


def test_a_read_sees_the_rows_of_its_snapshot(store: Store) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a"), interaction("b")])
    with store.read() as before:
        assert kept(before) == {"a": None, "b": None}
        with store.write() as tx:
            duplicates.mark(tx, {"a": "b"}, since=at(0))
        with store.read() as after:
            assert kept(after) == {"a": "b", "b": None}
        assert kept(before) == {"a": None, "b": None}


def test_a_change_during_a_compaction_is_in_the_new_file(store: FileStore) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a"), interaction("b")])

    def meanwhile(_: Tx) -> None:
        with store.write() as tx:
            duplicates.mark(tx, {"a": "b"}, since=at(0))

    store.compact(meanwhile)
    with store.read() as tx:
        assert kept(tx) == {"a": "b", "b": None}
    assert store.scan_table("interaction").rows == 2


def test_no_byte_of_an_erased_call_stays_that_was_appended_again(
    store: FileStore, path: Path, clock: HandClock
) -> None:
    words = "q7Zx9-the-cat-of-Ms-Vandermeer-is-ill-4Kd2"
    call = interaction("a", user_id="u", input_messages=(user(words),))
    with store.write() as tx:
        interactions.insert(tx, [call, interaction("b")])
    with store.write() as tx:
        duplicates.mark(tx, {"a": "b"}, since=at(0))
    with store.write() as tx:
        assert erase_user(tx, "u", clock.now()).removed["interaction"] == 1
    assert where_in_tables(store, words) == set()
    store.compact(lambda _: None)
    assert where_on_disk(path, words) == set()
    assert {table: store.scan_table(table).rows for table in FACTS} == dict.fromkeys(FACTS, 0)


def test_an_export_has_each_call_once(store: FileStore, tmp_path: Path, clock: HandClock) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a"), interaction("b")])
        duplicates.mark(tx, {"a": "b"}, since=at(0))
    exports = Backups(store, tmp_path / "exports", clock, "1.0")
    manifest = exported(exports, tmp_path / "export", Order(kind=PARQUET, tables=("interaction",)))
    exports.close()
    assert manifest.tables == {"interaction": 2}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.kill_revision", str(tmp_path_factory.mktemp("killed"))],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_change_that_is_killed_at_any_line_is_complete_or_absent(killed: Any) -> None:
    before, whole, attempts = killed["before"], killed["whole"], killed["attempts"]
    assert before["kept"] != whole["kept"]
    assert len(attempts) > 10
    assert all(attempt["passed"] is None for attempt in attempts), "each one was killed"
    states = {json.dumps(state["kept"]) for state in (before, whole)}
    assert {json.dumps(attempt["kept"]) for attempt in attempts} == states
    for attempt in (before, whole, *attempts):
        assert (attempt["facts"], attempt["rows"], attempt["losses"]) == (False, before["rows"], [])
