"""The nights that a case passed in a row before a run."""

from monitor.store.engine.database import Tx
from monitor.store.runs import outcomes, runs
from monitor.store.sets import revisions as evalsets
from tests.store.build import answer, at, complete_run, revision, run, score, stored_case


def night(tx: Tx, run_id: str, minute: float, passed: dict[str, float | None], **fields: object) -> None:
    runs.insert(tx, complete_run(run_id, at(minute), **fields))
    outcomes.append(tx, run_id, [answer(case_id, score(value)) for case_id, value in passed.items()], None)


def test_a_streak_counts_the_nights_passed_in_a_row_before_the_run(tx: Tx) -> None:
    evalsets.insert(tx, revision(), [stored_case(case_id, n) for n, case_id in enumerate("abcd")])
    night(tx, "r1", 1, {"a": 1.0, "b": 1.0, "c": 0.0, "d": 1.0})
    night(tx, "r2", 2, {"a": 1.0, "b": 0.0, "c": 1.0, "d": None})
    night(tx, "r3", 3, {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0})
    night(tx, "now", 4, {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0})
    night(tx, "later", 5, {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0})
    night(tx, "elsewhere", 3.5, {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0}, deployment="search")
    runs.insert(tx, run("failed", finished_at=at(3.5)))
    assert outcomes.passing_streaks(tx, "support", "primes", "now") == {"a": 3, "b": 1, "c": 2, "d": 1}


def test_without_earlier_nights_there_is_no_streak(tx: Tx) -> None:
    evalsets.insert(tx, revision(), [stored_case("a")])
    night(tx, "now", 1, {"a": 1.0})
    assert outcomes.passing_streaks(tx, "support", "primes", "now").get("a", 0) == 0


def test_a_case_with_another_content_begins_a_new_streak(tx: Tx) -> None:
    evalsets.insert(tx, revision(revision="r1"), [stored_case("a"), stored_case("b", 1)])
    evalsets.insert(
        tx,
        revision(revision="r2"),
        [stored_case("a", revision="r2", content_mac="edited"), stored_case("b", 1, revision="r2")],
    )
    night(tx, "old", 1, {"a": 1.0, "b": 1.0})
    night(tx, "new", 2, {"a": 1.0, "b": 1.0}, revision="r2")
    night(tx, "now", 3, {"a": 0.0, "b": 0.0}, revision="r2")
    assert outcomes.passing_streaks(tx, "support", "primes", "now") == {"a": 1, "b": 2}
