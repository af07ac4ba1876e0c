from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.alerting.plan import LONGEST_WAIT_S, after_failure, after_success, plan
from monitor.domain.alert import AlertState, DeliveryState, NotifyReason
from monitor.domain.finding import Verdict
from tests.alerting.build import HOUR, POLICY, T0, Desk, a_finding, a_notification, an_alert, at

BOTH = replace(POLICY, receivers=("pager", "console"))


def test_each_receiver_gets_its_own_notification_due_at_once() -> None:
    ids = iter(["n1", "n2"])
    rows = plan(an_alert(), [], BOTH, at(7), payload=lambda reason: {"reason": str(reason)}, new_id=lambda: next(ids))
    assert [(row.id, row.receiver) for row in rows] == [("n1", "pager"), ("n2", "console")]
    assert {row.state for row in rows} == {DeliveryState.QUEUED}
    assert {(row.planned_at, row.next_attempt_at, row.attempt) for row in rows} == {(at(7), at(7), 0)}
    assert rows[0].payload == {"reason": "first"}
    assert rows[0].alert_id == "a1"


def test_a_receiver_added_later_is_told_and_the_other_is_not_told_again() -> None:
    rows = plan(an_alert(), [a_notification()], BOTH, at(7), payload=lambda _: {}, new_id=lambda: "n2")
    assert [(row.receiver, row.reason) for row in rows] == [("console", NotifyReason.FIRST)]


def test_the_payload_is_not_made_when_nothing_is_due() -> None:
    def never(reason: NotifyReason) -> dict[str, Any]:
        raise AssertionError(reason)

    assert plan(an_alert(AlertState.PENDING), [], BOTH, T0, payload=never, new_id=lambda: "n") == []
    assert plan(an_alert(), [a_notification()], POLICY, T0, payload=never, new_id=lambda: "n") == []


def test_success_is_written_down() -> None:
    tried = a_notification(attempt=1, error="down")
    done = after_success(tried, at(3))
    assert (done.state, done.attempt, done.sent_at) == (DeliveryState.SENT, 2, at(3))
    assert (done.next_attempt_at, done.error) == (None, None)


def test_the_pause_doubles_until_it_is_given_up() -> None:
    one = a_notification()
    due = []
    for _ in range(3):
        one = after_failure(one, POLICY, T0, "answered 503", retryable=True)
        assert one.state is DeliveryState.QUEUED
        due.append(one.next_attempt_at)
    assert due == [at(5), at(10), at(20)]
    one = after_failure(one, POLICY, T0, "answered 503", retryable=True)
    assert (one.state, one.attempt, one.next_attempt_at) == (DeliveryState.FAILED, 4, None)
    assert one.error == "answered 503"


def test_what_can_never_work_is_given_up_at_once() -> None:
    one = after_failure(a_notification(), POLICY, T0, "answered 404", retryable=False)
    assert (one.state, one.attempt, one.next_attempt_at) == (DeliveryState.FAILED, 1, None)


@pytest.mark.parametrize(
    ("asked", "pause"), [(0.0, 5.0), (3.0, 5.0), (90.0, 90.0), (1e9, LONGEST_WAIT_S), (float("inf"), LONGEST_WAIT_S)]
)
def test_the_receivers_own_wish_is_heard_within_bounds(asked: float, pause: float) -> None:
    one = after_failure(a_notification(), POLICY, T0, "busy", retryable=True, retry_after_s=asked)
    assert one.next_attempt_at == at(pause)


def test_a_hundred_attempts_do_not_overflow() -> None:
    patient = replace(POLICY, max_attempts=101)
    one = after_failure(a_notification(attempt=99), patient, T0, "busy", retryable=True)
    assert one.next_attempt_at == at(LONGEST_WAIT_S)


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


def test_a_receiver_that_is_down_all_night_gets_one_notification_and_then_silence() -> None:
    desk = Desk()
    desk.apply(a_finding(), T0)
    for minute in range(60):
        desk.tick(at(60 * minute))
        desk.deliver(at(60 * minute), works=False)
    [only] = desk.outbox
    assert (only.state, only.attempt) == (DeliveryState.FAILED, POLICY.max_attempts)


def test_a_receiver_that_comes_back_is_told_as_if_for_the_first_time() -> None:
    desk = Desk()
    desk.apply(a_finding(), T0)
    for minute in range(10):
        desk.deliver(at(60 * minute), works=False)
    desk.tick(at(POLICY.repeat_s))
    desk.deliver(at(POLICY.repeat_s))
    assert desk.told() == ["first", "first"]
    assert desk.outbox[-1].state is DeliveryState.SENT


events = st.lists(
    st.tuples(
        st.sampled_from([*Verdict, "tick", "warning"]),
        st.floats(0, 6 * HOUR),  # pause before it
        st.sampled_from(["works", "down", "refuses"]),
    ),
    max_size=40,
)


@given(events, st.sampled_from([0.0, HOUR]))
@settings(max_examples=150, deadline=None)
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
            # first, two rises of severity, the end, and one in every repeat_s
            assert len(rows) <= 4 + now_s / POLICY.repeat_s
            assert all(row.attempt <= POLICY.max_attempts for row in rows)


@pytest.mark.parametrize("retryable", [True, False])
def test_why_an_attempt_failed_is_kept(retryable: bool) -> None:
    assert after_failure(a_notification(), POLICY, T0, "no route", retryable=retryable).error == "no route"


def test_a_receiver_that_asks_for_nothing_is_tried_after_our_own_pause() -> None:
    hasty = replace(POLICY, backoff_s=0.25)
    assert after_failure(a_notification(), hasty, T0, "down", retryable=True).next_attempt_at == at(0.25)
