"""Samples that move and imports that are discarded give the rows of an UPDATE and a DELETE, folded at any time."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.store.engine.append_only import FACTS
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.maintenance.fold import any_fact, fold
from monitor.store.runs import imports, outcomes, runs
from monitor.store.runs.split_run import move
from replay.types import ScoredOutcome
from tests.properties import examples
from tests.store.build import answer, run, score, undone
from tests.store.readable import where_on_disk

CASES = "abc"
RUNS = ("r-0", "r-1", "r-2")
Sample = tuple[str, int]
samples = st.lists(st.tuples(st.sampled_from(CASES), st.integers(0, 1)), min_size=1, max_size=4, unique=True)
run_numbers = st.integers(0, len(RUNS) - 1)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("append"), run_numbers, samples),
        st.tuples(st.just("move"), run_numbers, samples),
        st.tuples(st.just("discard"), run_numbers, st.just([])),
        st.tuples(st.just("fold"), st.just(0), st.just([])),
    ),
    min_size=2,
    max_size=10,
)


def sample(case_id: str, number: int, text: str) -> ScoredOutcome:
    return answer(case_id, replace(score(1.0), reason=text), sample=number, text=text)


class Stored:
    """The samples of each run, with the text of their reply. A sample is in one run: texts name where it was made."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str, int], str] = {}
        self.ended: set[tuple[str, str, int]] = set()

    def append(self, run_id: str, chosen: list[Sample]) -> list[Sample]:
        """Return the samples that the product may append: none that the run had before."""
        new = [key for key in chosen if (run_id, *key) not in self.rows and (run_id, *key) not in self.ended]
        self.rows |= {(run_id, *key): f"{run_id}{key}" for key in new}
        return new

    def move(self, old: str, new: str, chosen: list[Sample]) -> list[Sample]:
        kept = [
            key
            for key in chosen
            if (old, *key) in self.rows and (new, *key) not in self.rows and (new, *key) not in self.ended
        ]
        for key in kept:
            self.rows[(new, *key)] = self.rows.pop((old, *key))
            self.ended.add((old, *key))
        return kept

    def discard(self, run_id: str) -> None:
        gone = {key for key in self.rows if key[0] == run_id}
        self.ended |= gone
        for key in gone:
            del self.rows[key]


def read(tx: Tx, view: str) -> dict[tuple[str, str, int], str]:
    column = "text" if view.endswith("outcome") else "reason"
    rows = tx._cursor.execute(f"SELECT run_id, case_id, sample, {column} FROM {view}").fetchall()
    assert len({row[:3] for row in rows}) == len(rows), "a row is read once"
    return {row[:3]: row[3] for row in rows}


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps)
def test_facts_and_folds_in_any_order_give_the_rows_of_updates(store: Store, steps: list[Any]) -> None:
    with undone(store) as tx:
        expected = Stored()
        for run_id in RUNS:
            runs.insert(tx, run(run_id, samples=2))
        for kind, number, chosen in steps:
            run_id = RUNS[number]
            if kind == "append":
                rows = expected.append(run_id, chosen)
                made = [sample(case, n, f"{run_id}{(case, n)}") for case, n in rows]
                outcomes.append(tx, run_id, made, None)
            elif kind == "move":
                to = RUNS[(number + 1) % len(RUNS)]
                moved = expected.move(run_id, to, chosen)
                assert move(tx, run_id, to, moved, None) == len(moved)
            elif kind == "discard":
                expected.discard(run_id)
                imports.discard(tx, run_id)
            else:
                fold(tx)
            assert read(tx, "current_outcome") == expected.rows
            assert read(tx, "current_score") == expected.rows
            assert {row[0] for row in tx._cursor.execute("SELECT run_id FROM folded_sample").fetchall()} == {
                key[0] for key in expected.rows
            }
        fold(tx)
        assert not any_fact(tx)
        assert read(tx, "folded_outcome") == read(tx, "folded_score") == expected.rows


def test_a_commit_folds_the_ends_and_leaves_no_byte_of_a_discarded_import(store: FileStore, path: Path) -> None:
    words = "p3Lw8-where-is-the-invoice-of-May-7Hs1"
    with store.write() as tx:
        for run_id in RUNS:
            runs.insert(tx, run(run_id))
        outcomes.append(tx, "r-0", [answer("a", score(1.0))], None)
        outcomes.append(tx, "r-2", [sample("b", 0, words)], None)
    with store.write() as tx:
        assert move(tx, "r-0", "r-1", [("a", 0)], None) == 1
        imports.discard(tx, "r-2")
        assert any_fact(tx)
    assert {table: store.scan_table(table).rows for table in ("outcome", "score")} == {"outcome": 1, "score": 1}
    assert {fact: store.scan_table(fact).rows for fact in FACTS} == dict.fromkeys(FACTS, 0)
    with store.read() as tx:
        assert {run_id: outcomes.answered(tx, run_id) for run_id in RUNS} == {
            "r-0": set(),
            "r-1": {("a", 0)},
            "r-2": set(),
        }
    store.compact(lambda _: None)
    assert where_on_disk(path, words) == set()
