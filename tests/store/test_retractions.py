"""A signal that is retracted, revised or overridden no longer counts, and proposes no undecided case."""

from datetime import date, timedelta
from typing import Any

import pytest

from monitor.domain.candidate_basis import Member
from monitor.domain.feedback import CandidateState, Feedback, FeedbackKind
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import traffic_reports
from monitor.store.sets import candidate_groups, candidates, set_health
from monitor.store.traffic import daily_counts as production
from monitor.store.traffic import feedback as signals
from monitor.store.traffic import interactions
from tests.store.build import START, at, candidate, feedback, interaction
from tests.store.traffic.test_daily_counts import POLICY


def correction(id_: str = "f", **fields: Any) -> Feedback:
    made: dict[str, Any] = {
        "kind": FeedbackKind.EDIT, "value": None, "text": "no", "expected": "no", "is_correction": True,
        "linked_interaction_id": "i", "trace_id": "t", "revisable": True,
    }  # fmt: skip
    return feedback(id_, **made | fields)


def proposed(tx: Tx) -> list[str]:
    return [item.id for item in candidates.page(tx, PageQuery()).items]


def waiting(tx: Tx) -> list[str]:
    return [item.id for item, _ in signals.corrections_without_candidate(tx, "support", 10)]


@pytest.fixture
def corrected_tx(tx: Tx) -> Tx:
    """A correction, and the case that it proposed."""
    interactions.insert(tx, [interaction("i")])
    signals.insert(tx, [correction()])
    candidates.insert(tx, [candidate("c", feedback_id="f", interaction_id="i")])
    assert waiting(tx) == []
    return tx


@pytest.mark.parametrize(
    "change",
    [
        {"expected": "never", "text": "never"},
        {"kind": FeedbackKind.COMMENT, "expected": None, "text": None, "is_correction": False},
        {"failure_category": "tone"},
        {"source": "system", "is_correction": False},
    ],
)
def test_a_revised_correction_removes_the_case_it_proposed(corrected_tx: Tx, change: dict[str, Any]) -> None:
    signals.insert(corrected_tx, [correction(at=at(1), **change)])
    assert proposed(corrected_tx) == []
    says_right = "expected" not in change or change["expected"]
    assert waiting(corrected_tx) == (["f"] if says_right and change.get("source") != "system" else [])


def test_an_older_revision_and_another_comment_remove_nothing(corrected_tx: Tx) -> None:
    signals.insert(corrected_tx, [correction(at=at(-1), expected="never", text="never")])
    signals.insert(corrected_tx, [correction(at=at(1), comment="please")])
    assert proposed(corrected_tx) == ["c"]


@pytest.mark.parametrize("state", [CandidateState.ACCEPTED, CandidateState.REJECTED])
def test_what_was_decided_stays(tx: Tx, state: CandidateState) -> None:
    interactions.insert(tx, [interaction("i")])
    signals.insert(tx, [correction()])
    candidates.insert(tx, [candidate("c", feedback_id="f", state=state)])
    signals.insert(tx, [correction(at=at(1), expected="never")])
    signals.retract(tx, ["f"])
    assert proposed(tx) == ["c"]


def test_a_retracted_signal_is_removed_with_its_case_only(corrected_tx: Tx) -> None:
    signals.insert(corrected_tx, [correction("g")])
    candidates.insert(corrected_tx, [candidate("d", feedback_id="g")])
    signals.retract(corrected_tx, ["f", "unknown"])
    assert [item.id for item in signals.page(corrected_tx, PageQuery()).items] == ["g"]
    assert proposed(corrected_tx) == ["d"]


def test_another_correction_of_the_question_is_proposed_next(corrected_tx: Tx) -> None:
    signals.insert(corrected_tx, [correction("g", expected="yes")])
    assert waiting(corrected_tx) == ["g"]
    member = Member(correction_id="g", candidate_id="c", deployment="support", interaction_id="i", at=START)
    candidate_groups.add_members(corrected_tx, [member])
    assert waiting(corrected_tx) == [], "it belongs to the group of the question"
    signals.retract(corrected_tx, ["f"])
    assert waiting(corrected_tx) == ["g"]


def test_an_override_removes_the_case_until_it_is_retracted(corrected_tx: Tx) -> None:
    signals.insert(corrected_tx, [correction("g", overrides="f", kind=FeedbackKind.COMMENT, expected=None, text=None)])
    assert (proposed(corrected_tx), waiting(corrected_tx)) == ([], [])
    signals.retract(corrected_tx, ["g"])
    assert waiting(corrected_tx) == ["f"]


def counts(tx: Tx) -> set[int]:
    """Return the number of corrected calls by every statement that counts them: they agree."""
    since, until = START - timedelta(days=1), START + timedelta(days=2)
    day = date(START.year, START.month, START.day)
    [of_day] = production.days(tx, "support", day, day + timedelta(days=1), POLICY)
    [reading] = signals.correction_days(tx, ["support"], day, day + timedelta(days=1))["support"].values()
    calls = traffic_reports.calls(tx, "support", {"now": (since, until)}, max_calls=10).to_pylist()
    _, in_health = set_health.corrected(tx, ["support"], since, until)
    return {of_day.corrected, reading.corrections, sum(row["corrected"] for row in calls), in_health}


def test_an_overridden_or_retracted_signal_is_not_counted(corrected_tx: Tx) -> None:
    assert counts(corrected_tx) == {1}
    signals.insert(corrected_tx, [feedback("g", value=1.0, overrides="f", linked_interaction_id="i")])
    assert counts(corrected_tx) == {0}
    signals.retract(corrected_tx, ["g"])
    assert counts(corrected_tx) == {1}
    signals.retract(corrected_tx, ["f"])
    assert counts(corrected_tx) == {0}


def test_a_signal_is_found_by_its_trace_with_its_override(corrected_tx: Tx) -> None:
    found = signals.of_trace(corrected_tx, "f", "t")
    assert found is not None
    assert (found.feedback.id, found.overridden) == ("f", False)
    assert signals.of_trace(corrected_tx, "f", "another") is None
    signals.insert(corrected_tx, [feedback("g", overrides="f")])
    later = signals.of_trace(corrected_tx, "f", "t")
    assert later is not None
    assert later.overridden


def test_a_record_comes_back_as_it_was_and_a_revision_replaces_it(tx: Tx) -> None:
    signals.insert(tx, [feedback("f", record='{"a": 1}', revisable=True)])
    signals.insert(tx, [feedback("f", at=at(1), record='{"a": 2}', revisable=True)])
    assert [item.record for item in signals.page(tx, PageQuery()).items] == ['{"a": 2}']


def test_a_change_of_what_is_gone_adds_nothing(tx: Tx) -> None:
    late = feedback("f", revisable=True, only_revises=True)
    assert signals.insert(tx, [late, feedback("g", revisable=True)]).accepted == 1
    assert [item.id for item in signals.page(tx, PageQuery()).items] == ["g"]
    assert signals.insert(tx, [feedback("g", at=at(1), value=1.0, revisable=True, only_revises=True)]).accepted == 1
