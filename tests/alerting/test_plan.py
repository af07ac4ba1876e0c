from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.alerting.plan import (
    LONGEST_WAIT_S,
    after_failure,
    after_success,
    plan,
    refused_pause_s,
    unavailable_pause_s,
)
from monitor.domain.alert import AlertState, DeliveryState, NotifyReason
from monitor.domain.finding import Verdict
from tests.alerting.build import HOUR, POLICY, T0, Desk, a_finding, a_group, a_notification, an_alert, at
from tests.properties import examples

BOTH = replace(POLICY, receivers=("pager", "console"))


def test_each_receiver_gets_its_own_notification_due_at_once() -> None:
    ids = iter(["n1", "n2"])
    rows = plan(
        a_group(), [], BOTH, at(7), payload=lambda reason: {"reason": str(reason)}, new_id=lambda: next(ids)
    ).new
    assert [(row.id, row.receiver) for row in rows] == [("n1", "pager"), ("n2", "console")]
    assert {row.state for row in rows} == {DeliveryState.QUEUED}
    assert {(row.planned_at, row.next_attempt_at, row.attempt) for row in rows} == {(at(7), at(7), 0)}
    assert rows[0].payload == {"reason": "first"}
    assert rows[0].alert_id == "a1"


def test_a_receiver_added_later_is_told_and_the_other_is_not_told_again() -> None:
    rows = plan(a_group(), [a_notification()], BOTH, at(7), payload=lambda _: {}, new_id=lambda: "n2").new
    assert [(row.receiver, row.reason) for row in rows] == [("console", NotifyReason.FIRST)]


def test_the_payload_is_not_made_when_nothing_is_due() -> None:
    def never(reason: NotifyReason) -> dict[str, Any]:
        raise AssertionError(reason)

    assert plan(a_group(an_alert(AlertState.PENDING)), [], BOTH, T0, payload=never, new_id=lambda: "n").new == []
    assert plan(a_group(), [a_notification()], POLICY, T0, payload=never, new_id=lambda: "n").new == []


def test_success_is_written_down() -> None:
    tried = a_notification(attempt=1, error="down")
    done = after_success(tried, at(3))
    assert (done.state, done.attempt, done.sent_at) == (DeliveryState.SENT, 2, at(3))
    assert (done.next_attempt_at, done.error) == (None, None)


def test_what_is_planned_replaces_what_is_still_queued_of_the_same_alert_and_receiver() -> None:
    tried = a_notification(id="n1", attempt=3, error="answered 503")
    sent = a_notification(id="n0", state=DeliveryState.SENT, next_attempt_at=None)
    other = a_notification(id="n2", receiver="console")
    over = an_alert(AlertState.RESOLVED)
    planned = plan(a_group(over), [sent, tried, other], POLICY, at(7), payload=lambda _: {}, new_id=lambda: "n3")
    assert [(one.id, one.reason) for one in planned.new] == [("n3", NotifyReason.RESOLVED)]
    [gone] = planned.replaced
    assert (gone.id, gone.state, gone.next_attempt_at, gone.error) == (
        "n1",
        DeliveryState.REPLACED,
        None,
        "answered 503",
    )


def test_a_failed_attempt_is_due_again_and_says_why_it_failed() -> None:
    one = after_failure(a_notification(attempt=99), T0, "answered 503", 20.0)
    assert (one.state, one.attempt, one.next_attempt_at) == (DeliveryState.QUEUED, 100, at(20))
    assert one.error == "answered 503"


def test_the_pause_of_a_receiver_that_is_away_doubles_up_to_its_limit() -> None:
    assert [unavailable_pause_s(n, POLICY, 0.0) for n in (1, 2, 3, 7, 8, 5000)] == [5, 10, 20, 300, 300, 300]


def test_what_is_refused_is_tried_ever_more_slowly() -> None:
    assert [refused_pause_s(n, POLICY) for n in (1, 2, 10, 11, 5000)] == [5, 10, 2560, LONGEST_WAIT_S, LONGEST_WAIT_S]


@pytest.mark.parametrize(
    ("asked", "pause"), [(0.0, 5.0), (3.0, 5.0), (90.0, 90.0), (1e9, LONGEST_WAIT_S), (float("inf"), LONGEST_WAIT_S)]
)
def test_the_pause_that_the_receiver_asks_for_is_kept_within_bounds(asked: float, pause: float) -> None:
    assert unavailable_pause_s(1, POLICY, asked) == pause


R, OK, LITTLE, FAILED = Verdict.REGRESSION, Verdict.OK, Verdict.INSUFFICIENT, Verdict.FAILED
WARN = ("warning", R)

# instant in hours, event -> state of the newest alert, what the pager has been told so far
TIMETABLES: dict[str, tuple[float, list[tuple[float, object, str | None, str]]]] = {
    "quiet nights": (0, [(0, OK, None, ""), (24, OK, None, ""), (48, LITTLE, None, "")]),
    "a regression that lasts two nights and ends": (
        0,
        [
            (0, R, "firing", "first"),
            (1, "tick", "firing", "first"),
            (4, "tick", "firing", "first repeat"),
            (5, "tick", "firing", "first repeat"),
            (8, "tick", "firing", "first repeat repeat"),
            (9, R, "firing", "first repeat repeat"),
            (10, OK, "resolved", "first repeat repeat resolved"),
            (11, OK, "resolved", "first repeat repeat resolved"),
        ],
    ),
    "a blip that ends while pending is never told": (
        2,
        [(0, R, "pending", ""), (1, "tick", "pending", ""), (1.5, OK, "resolved", ""), (9, "tick", "resolved", "")],
    ),
    "a regression that outlasts its waiting time": (
        2,
        [(0, R, "pending", ""), (1, R, "pending", ""), (2, "tick", "firing", "first"), (3, R, "firing", "first")],
    ),
    "runs that say nothing keep the alert open": (
        0,
        [(0, R, "firing", "first"), (1, LITTLE, "firing", "first"), (2, FAILED, "firing", "first")],
    ),
    "it gets worse": (
        0,
        [(0, WARN, "firing", "first"), (1, R, "firing", "first worse"), (2, WARN, "firing", "first worse")],
    ),
    "two episodes": (
        0,
        [
            (0, R, "firing", "first"),
            (1, OK, "resolved", "first resolved"),
            (2, R, "firing", "first resolved first"),
            (3, Verdict.IMPROVEMENT, "resolved", "first resolved first resolved"),
        ],
    ),
}


@pytest.mark.parametrize("name", TIMETABLES)
def test_timetable(name: str) -> None:
    for_h, rows = TIMETABLES[name]
    desk = Desk(policy=replace(POLICY, for_s=for_h * HOUR))
    for position, (hour, event, state, told) in enumerate(rows):
        happen(desk, event, f"f{position}", at(hour * HOUR))
        desk.deliver(at(hour * HOUR))
        assert (desk.alerts[-1].state if desk.alerts else None) == state, (hour, event)
        assert " ".join(desk.told()) == told, (hour, event)


def happen(desk: Desk, event: object, name: str, now: datetime) -> None:
    if event == "tick":
        desk.tick(now)
    elif isinstance(event, tuple):
        desk.apply(a_finding(name, event[1], severity=event[0]), now)
    elif isinstance(event, Verdict):
        desk.apply(a_finding(name, event), now)


def test_a_receiver_that_is_away_all_night_gets_the_message_when_it_is_back() -> None:
    desk = Desk()
    desk.apply(a_finding(), T0)
    for minute in range(600):
        desk.tick(at(60 * minute))
        desk.deliver(at(60 * minute), works=False)
    [only] = desk.outbox
    assert (only.state, only.error) == (DeliveryState.QUEUED, "down")
    desk.deliver(at(600 * 60 + POLICY.max_pause_s))
    assert [(one.state, one.reason) for one in desk.outbox] == [(DeliveryState.SENT, NotifyReason.FIRST)]


def test_a_receiver_that_was_away_for_the_whole_episode_gets_its_end_alone() -> None:
    desk = Desk()
    desk.apply(a_finding(), T0)
    desk.deliver(T0, works=False)
    desk.apply(a_finding("f2", OK), at(HOUR))
    desk.deliver(at(2 * HOUR))
    states = [(one.state, one.reason) for one in desk.outbox]
    assert states == [(DeliveryState.REPLACED, NotifyReason.FIRST), (DeliveryState.SENT, NotifyReason.RESOLVED)]
    assert desk.outbox[-1].payload["alert"]["fired_at"] is not None  # the message says that it fired, and when


events = st.lists(
    st.tuples(
        st.sampled_from([*Verdict, "tick", "warning"]),
        st.floats(0, 6 * HOUR),  # pause before it
        st.sampled_from(["works", "down", "refuses"]),
    ),
    max_size=40,
)


@given(events, st.sampled_from([0.0, HOUR]))
@settings(max_examples=examples(150), deadline=None)
def test_one_open_alert_and_a_bounded_number_of_notifications(
    story: list[tuple[Any, float, str]], for_s: float
) -> None:
    desk = Desk(policy=replace(POLICY, for_s=for_s, receivers=("pager", "console")))
    now_s = 0.0
    for position, (event, pause, receiver) in enumerate(story):
        now_s += pause
        happen(desk, ("warning", R) if event == "warning" else event, f"f{position}", at(now_s))
        desk.deliver(at(now_s), works=receiver == "works", retryable=receiver == "down")
        assert desk.open_alert is None or desk.open_alert.state is not AlertState.RESOLVED  # asserts that it is one
    for alert in desk.alerts:
        for name in desk.policy.receivers:
            rows = [one for one in desk.outbox if (one.alert_id, one.receiver) == (alert.id, name)]
            reasons = [row.reason for row in rows]
            assert reasons.count(NotifyReason.RESOLVED) <= 1
            assert NotifyReason.RESOLVED not in reasons[:-1]
            assert not rows or rows[0].reason is NotifyReason.FIRST
            assert not rows or alert.fired_at is not None
            delivered = [row for row in rows if row.state is DeliveryState.SENT]
            assert delivered == sorted(delivered, key=lambda row: (row.sent_at, row.planned_at))  # in their order
            # first, two rises of severity, the end, and one in every repeat_s
            kept = [row for row in rows if row.state is not DeliveryState.REPLACED]
            assert len(kept) <= 4 + now_s / POLICY.repeat_s
            assert sum(row.state is DeliveryState.QUEUED for row in rows) <= 1
            assert all(row.state is not DeliveryState.FAILED for row in rows)
