"""Facts about signals give the rows that an UPDATE and a DELETE would give, in any order and folded at any time."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.domain.compaction import Compaction, CompactionKind
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.domain.feedback import Feedback, FeedbackKind, Link, LinkMethod
from monitor.domain.policy import RetentionPolicy
from monitor.jobs.maintenance.fold_loop import FoldLoop
from monitor.jobs.maintenance.retention_loop import RetentionLoop
from monitor.store.backup.backups import Backups, Order
from monitor.store.backup.layout import open_backup
from monitor.store.backup.manifest import PARQUET
from monitor.store.backup.restore import import_export
from monitor.store.engine.append_only import FACTS
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.maintenance import compactions
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.maintenance.fold import any_fact, fold
from monitor.store.traffic import feedback, interactions
from tests.properties import examples
from tests.store.backup.exporting import exported
from tests.store.build import HandClock, at, interaction, undone
from tests.store.build import feedback as signal
from tests.store.readable import where_in_tables, where_on_disk

IDS = [f"signal-{n}" for n in range(3)]
REVISED = (
    "at", "kind", "source", "value", "text", "comment", "expected", "failure_category", "is_correction", "name",
    "label", "score", "record",
)  # fmt: skip
COMPARED = tuple(name for name in REVISED if name not in {"at", "is_correction"})
ids = st.sampled_from(IDS)
signals = st.builds(
    lambda id_, minute, **fields: signal(id_, at=at(minute), received_at=at(minute), **fields),
    ids,
    st.integers(0, 4),
    deployment=st.sampled_from(["support", "search"]),
    kind=st.sampled_from([FeedbackKind.THUMB, FeedbackKind.EDIT]),
    value=st.sampled_from([-1.0, 1.0]),
    text=st.sampled_from([None, "no"]),
    is_correction=st.booleans(),
    linked_interaction_id=st.sampled_from([None, "own"]),
    overrides=st.sampled_from([None, None, "signal-0"]),
    revisable=st.booleans(),
    only_revises=st.booleans(),
)
links = st.builds(
    lambda id_, call, method, deployment: Link(
        feedback_id=id_, interaction_id=call, method=method, deployment=deployment
    ),
    ids,
    st.sampled_from(["call-1", "call-2"]),
    st.sampled_from([LinkMethod.SPAN, LinkMethod.TRACE]),
    st.sampled_from([None, "support", "search"]),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.lists(signals, min_size=1, max_size=3)),
        st.tuples(st.just("link"), st.lists(links, min_size=1, max_size=3)),
        st.tuples(st.just("retract"), st.lists(ids, min_size=1, max_size=2)),
        st.tuples(st.just("fold"), st.none()),
    ),
    min_size=1,
    max_size=10,
)


class Updated:
    """The rows as statements would leave them that change and remove rows at once."""

    def __init__(self) -> None:
        self.rows: dict[str, Feedback] = {}

    def insert(self, batch: list[Feedback]) -> None:
        for row in batch:
            if not row.revisable:
                self.rows.setdefault(row.id, _stored(row))
        latest = {row.id: row for row in sorted((row for row in batch if row.revisable), key=lambda row: row.at)}
        for row in latest.values():
            known = self.rows.get(row.id)
            if known is None:
                if not row.only_revises:
                    self.rows[row.id] = _stored(row)
            elif row.at >= known.at and any(getattr(row, name) != getattr(known, name) for name in COMPARED):
                self.rows[row.id] = replace(known, **{name: getattr(row, name) for name in REVISED})

    def link(self, batch: list[Link]) -> None:
        for link in {link.feedback_id: link for link in batch}.values():
            if (known := self.rows.get(link.feedback_id)) is not None:
                self.rows[link.feedback_id] = replace(
                    known,
                    linked_interaction_id=link.interaction_id,
                    link_method=link.method,
                    deployment=link.deployment or known.deployment,
                )

    def retract(self, batch: list[str]) -> None:
        for id_ in batch:
            self.rows.pop(id_, None)

    def fold(self, _: None) -> None:
        """Change nothing: a fold has no effect that a reader sees."""


def _stored(row: Feedback) -> Feedback:
    return replace(row, revisable=False, only_revises=False)


def apply(tx: Tx, kind: str, given_: Any) -> None:
    work: dict[str, Callable[[], object]] = {
        "insert": lambda: feedback.insert(tx, given_),
        "link": lambda: feedback.set_links(tx, given_),
        "retract": lambda: feedback.retract(tx, given_),
        "fold": lambda: fold(tx),
    }
    work[kind]()


def rows(tx: Tx) -> dict[str, Feedback]:
    found = feedback.page(tx, PageQuery(limit=100)).items
    assert len({row.id for row in found}) == len(found), "a signal is read once"
    return {row.id: row for row in found}


def raw(tx: Tx, table: str) -> list[tuple[Any, ...]]:
    return tx._cursor.execute(f'SELECT * EXCLUDE ("at", received_at) FROM {table} ORDER BY id').fetchall()


@settings(max_examples=examples(160), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps)
def test_facts_and_folds_in_any_order_give_the_rows_of_updates(store: Store, steps: list[Any]) -> None:
    with undone(store) as tx:
        expected = Updated()
        for kind, given_ in steps:
            apply(tx, kind, given_)
            getattr(expected, kind)(given_)
            assert rows(tx) == expected.rows
        overriding = tx._cursor.execute("SELECT id FROM feedback_override ORDER BY id").fetchall()
        before = raw(tx, "current_feedback")
        fold(tx)
        assert not any_fact(tx)
        assert rows(tx) == expected.rows
        assert raw(tx, "current_feedback") == raw(tx, "folded_feedback") == before
        assert tx._cursor.execute("SELECT id FROM feedback_override ORDER BY id").fetchall() == overriding
        assert tx._cursor.execute("SELECT count(*) FROM feedback WHERE revision <> 0").fetchall() == [(0,)]


def test_a_fold_counts_the_facts_and_a_second_one_finds_none(tx: Tx) -> None:
    feedback.insert(tx, [signal("f", revisable=True), signal("g")])
    assert fold(tx) == 0
    feedback.set_links(tx, [link("f"), link("g")])
    feedback.insert(tx, [signal("f", at=at(1), value=1.0, revisable=True)])
    feedback.retract(tx, ["g"])
    assert (fold(tx), fold(tx)) == (4, 0)
    [kept] = rows(tx).values()
    assert (kept.id, kept.value, kept.linked_interaction_id) == ("f", 1.0, "i")


def link(id_: str, deployment: str | None = None) -> Link:
    return Link(feedback_id=id_, interaction_id="i", method=LinkMethod.SPAN, deployment=deployment)


def test_a_signal_that_is_sent_again_after_its_retraction_is_new_and_has_no_link(tx: Tx) -> None:
    feedback.insert(tx, [signal("f")])
    feedback.set_links(tx, [link("f")])
    feedback.retract(tx, ["f"])
    assert feedback.insert(tx, [signal("f", value=1.0)]).accepted == 1
    assert feedback.insert(tx, [signal("f", value=1.0)]).duplicates == 1
    [kept] = rows(tx).values()
    assert (kept.value, kept.linked_interaction_id) == (1.0, None)
    feedback.set_links(tx, [link("f")])
    assert fold(tx) == 3
    [kept] = rows(tx).values()
    assert (kept.value, kept.linked_interaction_id) == (1.0, "i")


def test_a_limited_sender_revises_what_a_link_moved_to_its_deployment(tx: Tx) -> None:
    feedback.insert(tx, [signal("f", deployment="unknown"), signal("g", deployment="support")])
    feedback.set_links(tx, [link("f", "support"), link("g", "search")])
    limit = DeploymentLimit(deployments=frozenset({"support"}))
    revised = [signal(id_, at=at(1), value=1.0, revisable=True, only_revises=True) for id_ in ("f", "g")]
    assert feedback.insert(tx, revised, limit).accepted == 1
    assert {id_: row.value for id_, row in rows(tx).items()} == {"f": 1.0, "g": -1.0}


def test_a_read_sees_the_facts_of_its_snapshot(store: Store) -> None:
    with store.write() as tx:
        feedback.insert(tx, [signal("f")])
    with store.read() as before:
        assert rows(before)["f"].linked_interaction_id is None
        with store.write() as tx:
            feedback.set_links(tx, [link("f")])
        with store.read() as after:
            assert rows(after)["f"].linked_interaction_id == "i"
            with store.write() as tx:
                fold(tx)
            assert rows(after)["f"].linked_interaction_id == "i"
        assert rows(before)["f"].linked_interaction_id is None


def test_facts_that_arrive_during_a_compaction_and_their_fold_are_in_the_new_file(store: FileStore) -> None:
    with store.write() as tx:
        feedback.insert(tx, [signal("f", revisable=True), signal("g"), signal("h")])
        feedback.set_links(tx, [link("h")])

    def meanwhile(_: Tx) -> None:
        with store.write() as tx:
            feedback.insert(tx, [signal("f", at=at(1), value=1.0, revisable=True)])
        with store.write() as tx:
            fold(tx)
        with store.write() as tx:
            feedback.set_links(tx, [link("f")])
            feedback.retract(tx, ["g"])

    store.compact(meanwhile)
    with store.read() as tx:
        found = rows(tx)
    assert {id_: (row.value, row.linked_interaction_id) for id_, row in found.items()} == {
        "f": (1.0, "i"),
        "h": (-1.0, "i"),
    }


def test_no_byte_of_an_erased_signal_stays_whose_link_was_not_folded(
    store: FileStore, path: Path, clock: HandClock
) -> None:
    words = "q7Zx9-the-cat-of-Ms-Vandermeer-is-ill-4Kd2"
    with store.write() as tx:
        interactions.insert(tx, [interaction("i", user_id="u")])
        first = signal("f", comment=words, revisable=True)
        feedback.insert(tx, [first])
        feedback.insert(tx, [replace(first, at=at(1), text=words)])
        feedback.set_links(tx, [link("f")])
    with store.write() as tx:
        assert erase_user(tx, "u", clock.now()).removed["feedback"] == 1
    assert where_in_tables(store, words) == set()
    store.compact(lambda _: None)
    assert where_on_disk(path, words) == set()
    assert {table: store.scan_table(table).rows for table in (*FACTS, "feedback")} == dict.fromkeys(
        (*FACTS, "feedback"), 0
    )


def test_a_fold_that_is_killed_at_any_line_loses_no_fact(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.kill_fold", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    found = json.loads(done.stdout)
    before, whole, attempts = found["before"], found["whole"], found["attempts"]
    assert (before["folded"], whole["folded"]) == (False, True)
    assert len(attempts) > 10
    assert all(attempt["passed"] is None for attempt in attempts), "each one was killed"
    assert {attempt["folded"] for attempt in attempts} == {False, True}
    for attempt in (before, whole, *attempts):
        assert (attempt["rows"], attempt["later"], attempt["losses"]) == (before["rows"], before["rows"], [])
    linked = [row[0] for row in before["rows"] if row[2] is not None]
    revised = [row[0] for row in before["rows"] if row[1] == 1.0]
    assert (linked, revised) == (["02", "04", "06", "08", "10"], ["03", "06", "09"])


def test_the_loop_folds_what_is_there_and_writes_nothing_else(store: Store) -> None:
    loop = FoldLoop(store=store)
    with store.write() as tx:
        feedback.insert(tx, [signal("f")])
        feedback.set_links(tx, [link("f")])
    written = store.written["feedback"]
    assert (loop.step(), store.written["feedback"]) == (0, written + 1)
    assert (loop.step(), store.written["feedback"]) == (0, written + 1)
    with store.read() as tx:
        assert rows(tx)["f"].linked_interaction_id == "i"


def test_no_byte_of_a_retracted_signal_is_in_a_compacted_file(store: FileStore, path: Path, clock: HandClock) -> None:
    words = "p3Lw8-where-is-the-invoice-of-May-7Hs1"
    with store.write() as tx:
        feedback.insert(tx, [signal("f", comment=words)])
    with store.write() as tx:
        feedback.retract(tx, ["f"])
        compactions.insert(tx, Compaction(id="c", kind=CompactionKind.COMPACT, at=clock.now(), who="anna", removed={}))
    policy = RetentionPolicy(check_s=1e9, compact_share=1.0, compact_delay_s=1.0, keep_runs=1, parts={}, deployments={})
    assert RetentionLoop(store=store, policy=policy, clock=clock).compact_when_due() == 1
    assert where_on_disk(path, words) == set()


def test_an_export_has_the_facts_in_the_rows(store: FileStore, tmp_path: Path, clock: HandClock) -> None:
    with store.write() as tx:
        feedback.insert(tx, [signal("f", revisable=True), signal("g")])
        feedback.set_links(tx, [link("f")])
        feedback.insert(tx, [signal("f", at=at(1), value=1.0, revisable=True)])
        feedback.retract(tx, ["g"])
    exports = Backups(store, tmp_path / "exports", clock, "1.0")
    manifest = exported(exports, tmp_path / "export", Order(kind=PARQUET, tables=("feedback",)))
    exports.close()
    assert manifest.tables == {"feedback": 1}
    found, layout = open_backup(tmp_path / "export")
    imported = Store.open(import_export(found, layout, tmp_path / "new", clock.now()), clock=clock)
    with store.read() as tx, imported.read() as copy:
        assert rows(copy) == rows(tx)
        assert [row.value for row in rows(copy).values()] == [1.0]
    imported.close()
    refused = exports.order("anna", Order(kind=PARQUET, tables=("feedback_link",)))
    exports.run_ordered()
    assert "table 'feedback_link' is unknown" in str(exports.get(refused.id).error)
