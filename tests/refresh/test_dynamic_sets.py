"""A dynamic set is refreshed from accepted corrections by its membership rules, with a report of the changes."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.domain.evalset import Refresh, SetKind
from monitor.domain.feedback import CandidateState
from monitor.domain.policy import SetPolicy
from monitor.domain.review import Action, Edit, Order
from monitor.feedback.candidates.review import review
from monitor.refresh.dynamic_sets import refresh_dynamic_set
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.judging import pairwise
from monitor.store.maintenance.erase_cases import remove_cases
from monitor.store.runs import runs
from monitor.store.sets import candidates, refreshes
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import read_cases
from monitor.store.traffic import interactions
from replay.evalsets.dynamic.build import Membership
from replay.types import Severity
from tests.store.build import START, HandClock, at, candidate, interaction, run
from tests.store.judging.test_pairwise import pair


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[Tx]:
    store = Store.open(tmp_path / "driftd.duckdb", clock=HandClock())
    with store.write() as opened:
        yield opened
    store.close()


GROWN = SetPolicy(name="grown", kind=SetKind.DYNAMIC, samples=1, max_cases=4, auto_accept=False)


def correct(tx: Tx, name: str, *, user: str = "anna", minute: float = 0, category: str = "prime") -> None:
    """Store an accepted correction of the question of one user."""
    interactions.insert(tx, [interaction(f"call-{name}", user_id=user, started_at=at(minute))])
    proposed = candidate(
        f"cand-{name}",
        interaction_id=f"call-{name}",
        input_text=f"Is {name} prime?",
        content_hash=f"{name}-{'0' * 12}",
        category=category,
        proposed_at=at(minute),
        state=CandidateState.ACCEPTED,
    )
    candidates.insert(tx, [proposed])


def refresh(tx: Tx, minute: float, policy: SetPolicy = GROWN) -> bool:
    return refresh_dynamic_set(tx, deployment="support", eval_set=policy, now=at(minute))


def questions(tx: Tx) -> list[str]:
    current = evalsets.current(tx, "grown")
    assert current is not None
    return [case.last_user_text for case in read_cases(tx, "grown", current.revision, None)]


def reports(tx: Tx) -> list[Refresh]:
    return refreshes.page(tx, "grown", PageQuery()).items


def test_a_report_says_what_entered_and_what_left_and_why(tx: Tx) -> None:
    for n in range(4):
        correct(tx, f"old{n}", minute=n)
    assert refresh(tx, 10)
    correct(tx, "new", minute=11)
    assert refresh(tx, 12)
    assert not refresh(tx, 13)
    second, first = reports(tx)
    assert (len(first.entered), first.left, first.parent, first.cases) == (4, {}, None, 4)
    assert second.entered == ("case-new-00000000",)
    assert second.left == {"case-old0-0000000": "no room"}
    assert (second.parent, second.carried, second.at) == (first.revision, 3, at(12))
    assert second.revision == evalsets.current(tx, "grown").revision  # type: ignore[union-attr]


def test_one_diligent_user_has_so_many_cases_and_no_more(tx: Tx) -> None:
    for n in range(4):
        correct(tx, f"anna{n}", minute=n)
    correct(tx, "ben", user="ben", minute=9)
    refresh(tx, 10, replace(GROWN, membership=Membership(max_per_user=2)))
    assert questions(tx) == ["Is ben prime?", "Is anna3 prime?", "Is anna2 prime?"]
    assert reports(tx)[0].excluded == {"its user has enough newer cases": 2}


def test_what_is_too_old_leaves_by_itself(tx: Tx) -> None:
    correct(tx, "old")
    correct(tx, "new", minute=60 * 24 * 20)
    rule = replace(GROWN, membership=Membership(max_age_s=timedelta(days=30).total_seconds()))
    refresh(tx, 60 * 24 * 20, rule)
    assert len(questions(tx)) == 2
    assert refresh(tx, 60 * 24 * 31, rule)
    assert questions(tx) == ["Is new prime?"]
    assert list(reports(tx)[0].left.values()) == ["too old"]


def test_a_flood_enters_by_and_by_and_every_revision_shares_cases_with_the_one_before(tx: Tx) -> None:
    for n in range(4):
        correct(tx, f"old{n}", minute=n)
    rule = replace(GROWN, membership=Membership(overlap=0.5))
    refresh(tx, 5, rule)
    for n in range(8):
        correct(tx, f"new{n}", minute=10 + n, category="composite")
    assert refresh(tx, 20, rule)
    assert sum(q.startswith("Is new") for q in questions(tx)) == 2
    assert refresh(tx, 21, rule)
    assert sum(q.startswith("Is new") for q in questions(tx)) == 4
    assert not refresh(tx, 22, rule)
    assert [report.carried for report in reports(tx)] == [2, 2, 0]


def test_a_case_whose_candidate_is_rejected_later_leaves(tx: Tx) -> None:
    correct(tx, "good")
    correct(tx, "bad", minute=1)
    refresh(tx, 2)
    [bad] = candidates.by_ids(tx, ["cand-bad"]).values()
    reject = Order(action=Action.REJECT, reason="the policy changed", revision=0)
    decided = review(bad, reject, who="ann", now=at(3))
    assert decided is not None
    candidates.record(tx, [decided.candidate], [])
    assert refresh(tx, 4)
    assert questions(tx) == ["Is good prime?"]
    assert reports(tx)[0].left == {"case-bad-00000000": "rejected by a reviewer"}


def test_seats_are_shared_out_by_the_severity_that_a_reviewer_gave(tx: Tx) -> None:
    for n in range(6):
        correct(tx, f"mild{n}", minute=10 + n)
    correct(tx, "burnt", minute=1)
    [burnt] = candidates.by_ids(tx, ["cand-burnt"]).values()
    order = Order(action=Action.EDIT, edit=Edit(severity=Severity.CRITICAL))
    decided = review(burnt, order, who="ann", now=at(3))
    assert decided is not None
    candidates.record(tx, [decided.candidate], [])
    refresh(tx, 20, replace(GROWN, membership=Membership(strata=("severity",))))
    assert "Is burnt prime?" in questions(tx)


def test_an_erased_case_leaves_the_reports_and_its_revision_keeps_a_true_name(tx: Tx) -> None:
    for n in range(3):
        correct(tx, f"old{n}", minute=n)
    refresh(tx, 5)
    correct(tx, "new", minute=6)
    refresh(tx, 7)
    runs.insert(tx, run("r", set_name="grown"))
    pairwise.insert(tx, [pair(run_a="r", case_id=case_id) for case_id in ("case-old1-0000000", "case-new-0000000")])
    assert remove_cases(tx, "grown", ["case-old1-0000000"], START)["pairwise_verdict"] == 1
    second, first = reports(tx)
    assert "case-old1-0000000" not in {*first.entered, *second.entered, *second.left}
    assert len(first.entered) == 2
    assert {first.revision, second.revision} == {each.revision for each in evalsets.revisions(tx, "grown")}
    assert second.parent == first.revision
