"""Corrected answers are counted once each, by group and by day."""

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from monitor.domain.interaction import Origin, Status
from monitor.domain.turn import SignalCode, TurnProgress
from monitor.stats.adjusted_rate import TurnCounts
from monitor.store.engine.transaction import Tx
from monitor.store.traffic import feedback, interactions
from monitor.store.turns import progress, rates, reviews, signals
from monitor.store.turns.corrections import flagged_without_candidate
from monitor.store.turns.rates import CorrectedGroup, GroupBy
from tests.store.build import START, assistant, at, candidate, interaction, turn_review, turn_signal, user, verdict
from tests.store.build import feedback as event

DAY = timedelta(days=1)


def judge(tx: Tx, version: str = "v1", since: datetime = START, until: datetime = START + 30 * DAY) -> None:
    known = TurnProgress(deployment="support", version=version, began_at=since, since=since, until=until, seed=1)
    progress.put(tx, known)


def call(tx: Tx, name: str, minutes: float = 0, **fields: Any) -> None:
    interactions.insert(tx, [interaction(name, started_at=at(minutes), **fields)])


def turn(tx: Tx, name: str, answer: str | None, minutes: float = 1, **fields: Any) -> None:
    """Store a call with a turn about an answer, and its verdict."""
    call(tx, name, minutes, input_messages=(user("a"), assistant("b"), user(f"text of {name}")))
    given = {"answer_id": answer, "verdict": verdict(**fields), "at": at(minutes)}
    signals.write(tx, [turn_signal(f"t-{name}", interaction_id=name, **given)])


def correct(tx: Tx, name: str, minutes: float = 5, **fields: Any) -> None:
    feedback.insert(tx, [event(f"f-{name}", linked_interaction_id=name, is_correction=True, at=at(minutes), **fields)])


def counted(tx: Tx, by: GroupBy = GroupBy.ALL, now: datetime = START + 9 * DAY) -> dict[str | None, TurnCounts]:
    return {group.name: group.counts for group in groups(tx, by, now)}


def groups(tx: Tx, by: GroupBy, now: datetime = START + 9 * DAY) -> list[CorrectedGroup]:
    return rates.groups(tx, "support", by, since=START, until=START + 9 * DAY, now=now)


def test_an_answer_is_counted_once_and_an_explicit_correction_wins(tx: Tx) -> None:
    judge(tx)
    for name in ("explicit", "both", "flagged", "praised", "quiet"):
        call(tx, name)
    correct(tx, "explicit")
    correct(tx, "both")
    turn(tx, "t1", "both")
    turn(tx, "t2", "flagged")
    turn(tx, "t3", "flagged")
    turn(tx, "t4", "praised", flagged=False, code=SignalCode.PRAISE)
    assert counted(tx) == {"all": TurnCounts(interactions=9, explicit=2, turns=2, flagged=1)}


def test_a_turn_that_an_event_decided_or_an_older_detector_judged_does_not_count(tx: Tx) -> None:
    judge(tx)
    for name in ("a", "b", "c"):
        call(tx, name)
    turn(tx, "event", "a", detector="event", code=SignalCode.REJECTED)
    turn(tx, "older", "b", version="v0")
    turn(tx, "left", "c", code=SignalCode.ABANDON)
    assert counted(tx)["all"] == TurnCounts(interactions=6, explicit=0, turns=0, flagged=0)


def test_a_turn_whose_answer_is_not_stored_counts_on_its_own_call(tx: Tx) -> None:
    judge(tx)
    turn(tx, "t", None)
    assert counted(tx)["all"] == TurnCounts(interactions=1, explicit=0, turns=1, flagged=1)


def test_only_answered_production_calls_count(tx: Tx) -> None:
    judge(tx)
    call(tx, "failed", status=Status.ERROR)
    call(tx, "replay", origin=Origin.REPLAY)
    call(tx, "copy", duplicate_of="t")
    turn(tx, "t", "failed")
    assert counted(tx)["all"] == TurnCounts(interactions=1, explicit=0, turns=0, flagged=0)


def test_the_groups_are_those_of_the_answer_and_not_of_the_turn(tx: Tx) -> None:
    judge(tx)
    call(tx, "a", identity="gpt-1", category="refunds", prompt_id="p", attributes={"driftd.route": "/chat"})
    call(tx, "b", identity="gpt-1", category="refunds", prompt_id="p", minutes=2 * 1440)
    turn(tx, "t", "a", minutes=3 * 1440)
    assert {name: (c.interactions, c.flagged) for name, c in counted(tx, GroupBy.DAY).items()} == {
        "2026-11-21": (1, 1),
        "2026-11-23": (1, 0),
        "2026-11-24": (1, 0),
    }
    for by, expected in (
        (GroupBy.VERSION, {"gpt-1": (2, 1), None: (1, 0)}),
        (GroupBy.CATEGORY, {"refunds": (2, 1), None: (1, 0)}),
        (GroupBy.ROUTE, {"/chat": (1, 1), "p": (1, 0), None: (1, 0)}),
    ):
        assert {name: (c.interactions, c.flagged) for name, c in counted(tx, by).items()} == expected


def test_a_conversation_is_abandoned_when_its_last_call_gave_no_information_half_an_hour_ago(tx: Tx) -> None:
    call(tx, "refused", conversation_id="a", output_messages=(assistant("I'm sorry, but I can't help with that."),))
    call(tx, "failed", conversation_id="b", status=Status.ERROR)
    call(tx, "continued", conversation_id="c", output_messages=(assistant("I can't help with this."),))
    call(tx, "end", conversation_id="c", minutes=1)
    [early] = groups(tx, GroupBy.ALL, at(10))
    [late] = groups(tx, GroupBy.ALL, at(40))
    assert (early.abandoned, late.abandoned) == (0, 2)


@pytest.mark.parametrize(("answer", "abandoned"), [("", 1), ("\n\t ", 1), (" Yes, it is.", 0), ("Yes, it is. ", 0)])
def test_an_answer_of_white_space_alone_gives_no_information(tx: Tx, answer: str, abandoned: int) -> None:
    call(tx, "end", conversation_id="a", output_messages=(assistant(answer),))
    [found] = groups(tx, GroupBy.ALL, at(40))
    assert found.abandoned == abandoned


def test_only_the_newest_review_of_the_sample_of_this_version_counts(tx: Tx) -> None:
    judge(tx)
    turn(tx, "t1", None)
    turn(tx, "t2", None)
    turn(tx, "t3", None, flagged=False)
    turn(tx, "t4", None, detector="event")
    reviews.insert(tx, turn_review("t-t1"))
    reviews.insert(tx, turn_review("t-t1", corrects=False, at=at(5)))
    reviews.insert(tx, turn_review("t-t2", sampled=False))
    reviews.insert(tx, turn_review("t-t2", version="v0"))
    reviews.insert(tx, turn_review("t-t3", flagged=False))
    found = rates.review_counts(tx, "support")
    assert (found.turns, found.flagged) == (3, 2)
    assert (found.reviewed_flagged, found.confirmed) == (1, 0)
    assert (found.reviewed_unflagged, found.missed) == (1, 1)


def days(tx: Tx, late_days: int = 2) -> dict[date, int]:
    since = datetime(2026, 11, 21, tzinfo=UTC)
    found = rates.implicit_days(tx, "support", since=since, until=since + 9 * DAY, late_days=late_days)
    return dict(found or {})


def test_a_day_counts_turns_that_arrive_before_its_late_days_end(tx: Tx) -> None:
    judge(tx, since=START - DAY)
    for name in ("in time", "late", "explicit", "explicit later"):
        call(tx, name)
    turn(tx, "t1", "in time", minutes=2 * 1440)
    turn(tx, "t2", "late", minutes=3 * 1440)
    turn(tx, "t3", "explicit")
    turn(tx, "t4", "explicit later")
    correct(tx, "explicit")
    correct(tx, "explicit later", minutes=4 * 1440)
    assert days(tx)[date(2026, 11, 21)] == 2


def test_days_that_the_newest_detector_has_not_judged_completely_are_absent(tx: Tx) -> None:
    assert rates.implicit_days(tx, "support", since=START, until=START + DAY, late_days=2) is None
    judge(tx, since=START, until=START + 6 * DAY)
    assert days(tx) == {}, "no turn was judged"
    turn(tx, "t", None, flagged=False)
    assert list(days(tx)) == [date(2026, 11, 22), date(2026, 11, 23), date(2026, 11, 24)]
    assert date(2026, 11, 21) not in days(tx), "it began before the detector"
    judge(tx, "v2", since=START + 5 * DAY, until=START + 6 * DAY)
    turn(tx, "t2", None, version="v2")
    assert days(tx) == {}


def test_flagged_turns_propose_each_answer_once(tx: Tx) -> None:
    judge(tx)
    for name in ("a", "b", "explicit", "known", "praised"):
        call(tx, name)
    correct(tx, "explicit")
    from monitor.store.sets import candidates

    candidates.insert(tx, [candidate("cand", interaction_id="known")])
    turn(tx, "weak", "a", score=0.6)
    turn(tx, "sure", "a", score=0.9)
    turn(tx, "other", "b", score=0.7, minutes=2)
    turn(tx, "after", "explicit")
    turn(tx, "again", "known")
    turn(tx, "thanks", "praised", flagged=False)
    turn(tx, "lost", None)
    found = flagged_without_candidate(tx, "support", 10)
    assert [(one.signal.id, one.answer.id, one.text) for one in found] == [
        ("t-other", "b", "text of other"),
        ("t-sure", "a", "text of sure"),
    ]
    assert [one.answer.id for one in flagged_without_candidate(tx, "support", 10, score=0.8)] == ["a"]
    assert flagged_without_candidate(tx, "support", 1)[0].answer.id == "b"
    assert flagged_without_candidate(tx, "other", 10) == []
