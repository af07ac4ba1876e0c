from dataclasses import replace
from typing import Any

import pytest

from monitor.store.engine.database import Tx
from monitor.store.judging import pairwise
from monitor.store.judging.pairwise import reversed_verdict
from monitor.store.maintenance.rotate_key import reseal
from monitor.store.runs import runs
from replay.evalsets.sealing import Sealer
from replay.pairwise import PairwiseVerdict
from replay.types import JudgedBy
from tests.store.build import at, run

JUDGE = JudgedBy(model="judge-1", prompt_hash="p", rubric_version="3")


def pair(**fields: Any) -> PairwiseVerdict:
    defaults: dict[str, Any] = {
        "case_id": "c",
        "content_mac": "mac",
        "run_a": "old",
        "sample_a": 0,
        "run_b": "new",
        "sample_b": 1,
        "winner": "a",
        "shown": "ab",
        "judge": "better",
        "judged_by": JUDGE,
        "reason": "A is complete",
        "at": at(1),
        "position_agrees": True,
    }
    return PairwiseVerdict(**defaults | fields)


def test_a_verdict_comes_back_as_it_was(tx: Tx) -> None:
    rows = [pair(), pair(case_id="d", winner=None, judged_by=None, position_agrees=None, at=at(2))]
    assert pairwise.insert(tx, rows) == 2
    assert pairwise.between(tx, "old", "new") == rows
    assert pairwise.insert(tx, []) == 0


def test_a_second_verdict_of_one_judge_about_one_pair_does_not_change_the_first(tx: Tx) -> None:
    assert pairwise.insert(tx, [pair(), pair(winner="b")]) == 1
    assert pairwise.insert(tx, [pair(winner="tie"), pair(shown="ba", at=at(2))]) == 1
    other = pair(judged_by=replace(JUDGE, rubric_version="4"), winner="b", at=at(3))
    assert pairwise.insert(tx, [other]) == 1
    assert [row.winner for row in pairwise.between(tx, "old", "new")] == ["a", "a", "b"]


@pytest.mark.parametrize(("winner", "back"), [("a", "b"), ("b", "a"), ("tie", "tie"), (None, None)])
def test_verdicts_are_reversed_when_the_runs_are_asked_for_in_the_other_order(tx: Tx, winner: Any, back: Any) -> None:
    pairwise.insert(tx, [pair(winner=winner)])
    (row,) = pairwise.between(tx, "new", "old")
    assert (row.run_a, row.sample_a, row.run_b, row.sample_b) == ("new", 1, "old", 0)
    assert (row.winner, row.shown) == (back, "ba")
    assert reversed_verdict(row) == pair(winner=winner)


def test_only_verdicts_between_the_chosen_runs_are_returned(tx: Tx) -> None:
    pairwise.insert(tx, [pair(), pair(run_b="third"), pair(run_a="new", run_b="third", at=at(2))])
    assert len(pairwise.of_runs(tx, ["old", "new", "third"])) == 3
    assert len(pairwise.of_runs(tx, ["old", "new", "old"])) == 1
    assert pairwise.of_runs(tx, ["old"]) == []


def test_a_sealed_reason_opens_with_the_key_and_with_the_next_one(tx: Tx) -> None:
    old, new = Sealer(b"o" * 32), Sealer(b"n" * 32)
    for name in ("old", "new"):
        runs.insert(tx, run(name, set_name="primes"))
    pairwise.insert(tx, [pair(), pair(judged_by=None, at=at(2))], lambda text, where: old.seal(text.encode(), where))
    assert [row.reason for row in pairwise.between(tx, "old", "new")] == [None, None]
    assert reseal(tx, "primes", Sealer(b"n" * 32, older=[old])).scores == 2
    found = pairwise.between(tx, "old", "new", lambda sealed, where: new.open(sealed, where).decode())
    assert [row.reason for row in found] == ["A is complete", "A is complete"]
