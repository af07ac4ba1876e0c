"""Delivery through the real loops, a real store and real HTTP servers that are down, slow, hanging or refusing."""

import logging
import socket
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from monitor.alerting.checks.condition import ConditionState
from monitor.alerting.checks.receivers import receiver_condition
from monitor.alerting.notify.base import Receiver, ReceiverUnavailable
from monitor.alerting.notify.webhook import Webhook
from monitor.domain.alert import DeliveryState, Notification
from monitor.domain.finding import Verdict
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.check_loop import CheckLoop
from monitor.jobs.alerting.daemon_checks import ReceiverCheck
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import alerts, findings
from monitor.supervisor import Supervisor
from monitor.telemetry import NO_TELEMETRY
from tests.alerting.build import a_notification
from tests.alerting.notify.drip import dripping
from tests.alerting.notify.hook import Hook, listening
from tests.api.policies import policy
from tests.jobs.replay.test_schedule_loop import MovedClock
from tests.store.build import finding

T0 = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
OK = Verdict.OK


class Night:
    """The alert loop and one notify loop for each receiver, with one store and one clock."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.clock = MovedClock(T0)
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        base = policy()
        result = replace(
            base.alerts, receivers=names, repeat_s=4 * 3600.0, backoff_s=5.0, max_pause_s=300.0, group_by=("set",)
        )
        self.policy = replace(base, alerts=result)
        self.alerts = AlertLoop(store=self.store, policy=self.policy, clock=self.clock)
        self.notify: list[NotifyLoop] = []
        self.receivers: list[Receiver] = []

    def close(self) -> None:
        for receiver in self.receivers:
            receiver.close()
        self.store.close()

    def start(self, *receivers: Receiver) -> None:
        """Create the loops as a start of the daemon does."""
        self.receivers += receivers
        self.notify = [
            NotifyLoop(store=self.store, policy=self.policy, clock=self.clock, receiver=one, jitter=lambda: 1.0)
            for one in receivers
        ]

    def find(self, verdict: Verdict = Verdict.REGRESSION, severity: str = "critical") -> None:
        with self.store.write() as tx:
            name = f"f{self.clock.at:%d%H%M%S}"
            findings.insert(tx, finding(name, verdict=verdict, severity=severity, at=self.clock.at))

    def live(self, time: timedelta, step: timedelta = MINUTE) -> None:
        end = self.clock.at + time
        while self.clock.at < end:
            self.clock.at += step
            self.pass_once()

    def pass_once(self) -> None:
        self.alerts.step()
        for loop in self.notify:
            while loop.step():
                pass

    def outbox(self) -> list[Notification]:
        """Return the notifications, the oldest first."""
        with self.store.read() as tx:
            return alerts.page_notifications(tx, PageQuery(limit=500)).items[::-1]

    def states(self) -> list[tuple[str, str]]:
        return [(one.reason.value, one.state.value) for one in self.outbox()]


@pytest.fixture
def night(tmp_path: Path) -> Iterator[Night]:
    one = Night(tmp_path, "pager")
    yield one
    one.close()


@pytest.fixture
def port() -> Iterator[int]:
    """Yield a port without a server. The bound socket keeps it from other tests, and refuses connections."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        yield int(reserved.getsockname()[1])


def webhook(port: int, name: str = "pager", timeout_s: float = 30.0) -> Webhook:
    return Webhook(name, f"http://127.0.0.1:{port}/hooks/s3cret", timeout_s)


def reasons(hook: Hook) -> list[str]:
    return [body["reason"] for body in hook.bodies]


@pytest.mark.parametrize("away", [11 * MINUTE, 9 * HOUR, timedelta(days=3)])
def test_a_receiver_that_was_away_gets_the_firing_within_its_longest_pause(
    night: Night, port: int, away: timedelta
) -> None:
    night.start(webhook(port))
    night.find()
    night.live(away, step=away / 60)
    [only] = night.outbox()
    assert (only.state, only.reason.value) == (DeliveryState.QUEUED, "first")
    assert only.error == f"receiver 'pager' at 127.0.0.1:{port}: cannot be reached"
    assert 5 <= only.attempt <= 10 + away.total_seconds() / 300
    with listening(port) as hook:
        night.live(timedelta(seconds=300), step=timedelta(seconds=10))
        assert reasons(hook) == ["first"]
    assert night.states() == [("first", "sent")]


def test_a_resolution_is_delivered_however_long_the_receiver_is_away(night: Night, port: int) -> None:
    with listening(port) as hook:
        night.start(webhook(port))
        night.find()
        night.live(MINUTE)
        assert reasons(hook) == ["first"]
    night.find(OK, "info")
    night.live(20 * HOUR, step=30 * MINUTE)
    assert night.states() == [("first", "sent"), ("resolved", "queued")]
    with listening(port) as hook:
        night.live(timedelta(seconds=300), step=timedelta(seconds=10))
        assert reasons(hook) == ["resolved"]


def test_an_episode_that_began_and_ended_while_the_receiver_was_away_is_one_message(night: Night, port: int) -> None:
    night.start(webhook(port))
    night.find()
    night.live(HOUR)
    night.find(OK, "info")
    night.live(HOUR)
    assert night.states() == [("first", "replaced"), ("resolved", "queued")]
    with listening(port) as hook:
        night.live(5 * MINUTE)
        [body] = hook.bodies
    assert (body["reason"], body["alert"]["state"]) == ("resolved", "resolved")
    assert body["alert"]["fired_at"] < body["alert"]["resolved_at"]


def test_after_three_nights_away_the_receiver_gets_the_newest_state_alone(night: Night, port: int) -> None:
    night.start(webhook(port))
    for severity in ("warning", "warning", "critical"):
        night.find(severity=severity)
        night.live(24 * HOUR, step=HOUR)
    assert night.states() == [("first", "replaced"), ("first", "replaced"), ("first", "queued")]
    with listening(port) as hook:
        night.live(5 * MINUTE)
        [body] = hook.bodies
    assert (body["alert"]["severity"], body["finding"]["id"]) == (
        "critical",
        night.outbox()[-1].payload["finding"]["id"],
    )


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_is_refused_stays_due_ever_more_slowly_and_a_start_tries_it_at_once(
    night: Night, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with listening() as hook:
        hook.status = status
        night.start(webhook(hook.port))
        night.find()
        with caplog.at_level(logging.WARNING):
            night.live(24 * HOUR, step=15 * MINUTE)
        [only] = night.outbox()
        assert (only.state, only.error) == (
            DeliveryState.QUEUED,
            f"receiver 'pager' at 127.0.0.1:{hook.port} responded {status}",
        )
        assert 24 <= only.attempt <= 36  # about one an hour
        assert len(caplog.messages) == 1  # not one for each attempt
        hook.status = 204  # the address was mended, and the daemon started again
        night.start(webhook(hook.port))
        night.live(MINUTE)
    assert night.states() == [("first", "sent")]


def test_what_is_refused_holds_up_no_other_message(night: Night) -> None:
    with listening() as hook:
        night.start(webhook(hook.port))
        hook.status = 400
        night.find()
        night.live(HOUR)
        hook.status = 204
        with night.store.write() as tx:
            findings.insert(tx, finding("other", set_name="words", verdict=Verdict.REGRESSION, at=night.clock.at))
        night.live(timedelta(seconds=10), step=timedelta(seconds=5))
        assert hook.bodies[-1]["set"]["name"] == "words"
    assert [state for _, state in night.states()] == ["queued", "sent"]


def test_a_receiver_that_is_away_is_tried_once_for_each_pause_however_much_waits(night: Night, port: int) -> None:
    night.start(webhook(port))
    with night.store.write() as tx:
        for number in range(8):
            name = f"set-{number}"
            findings.insert(tx, finding(name, set_name=name, verdict=Verdict.REGRESSION, at=night.clock.at))
    night.live(HOUR, step=MINUTE)
    assert sum(one.attempt for one in night.outbox()) <= 17  # for one notification: 7 while the pause grows, then 10
    with listening(port) as hook:
        night.live(5 * MINUTE)
        assert len(hook.bodies) == 8


@pytest.mark.parametrize("timeout_s", [0.3, 1.0])
def test_a_receiver_that_drips_its_answer_takes_no_longer_than_its_deadline(timeout_s: float) -> None:
    with dripping() as url:
        pager = Webhook("pager", url, timeout_s)
        began = monotonic()
        with pytest.raises(ReceiverUnavailable, match="no response in time"):
            pager.send(a_notification())
        assert timeout_s <= monotonic() - began  # the response never ends, so only the deadline ends the call
        pager.close()


def test_a_receiver_that_drips_or_hangs_holds_up_no_other(tmp_path: Path) -> None:
    night = Night(tmp_path, "drips", "hangs", "well")
    with dripping() as url, listening() as hangs, listening() as well:
        hangs.answer.clear()
        night.start(
            Webhook("drips", url, 20.0),
            Webhook("hangs", hangs.url, 20.0),
            Webhook("well", well.url, 20.0),
        )
        night.find()
        night.alerts.step()
        threads = Supervisor(night.notify, NO_TELEMETRY)
        began = monotonic()
        threads.start()
        while not well.bodies and monotonic() - began < 10:
            well.arrived.wait(0.1)
        assert reasons(well) == ["first"]  # while both other deliveries still wait for a response
        hangs.answer.set()
        threads.stop(0.5)
    night.close()


def test_a_notification_whose_receiver_is_removed_from_the_configuration_is_given_up(night: Night, port: int) -> None:
    night.start(webhook(port))
    night.find()
    night.live(HOUR)
    elsewhere = replace(night.policy, alerts=replace(night.policy.alerts, receivers=("chat",)))
    AlertLoop(store=night.store, policy=elsewhere, clock=night.clock).step()
    before, after = night.outbox()
    assert (before.receiver, before.state, after.receiver, after.state.value) == (
        "pager",
        DeliveryState.FAILED,
        "chat",
        "queued",
    )
    assert before.error == "its receiver is no longer configured or no longer in alerts.receivers"


def test_a_receiver_gets_no_more_than_its_rate_and_the_rest_a_minute_later(night: Night) -> None:
    with listening() as hook:
        night.policy = replace(night.policy, alerts=replace(night.policy.alerts, max_per_minute=3))
        night.start(webhook(hook.port))
        with night.store.write() as tx:
            for number in range(5):
                name = f"set-{number}"
                findings.insert(tx, finding(name, set_name=name, verdict=Verdict.REGRESSION, at=night.clock.at))
        night.live(timedelta(seconds=50), step=timedelta(seconds=5))
        assert len(hook.bodies) == 3
        night.live(MINUTE, step=timedelta(seconds=5))
        assert len(hook.bodies) == 5


def test_a_pause_is_a_random_part_of_the_backoff(night: Night, port: int) -> None:
    pauses = []
    night.receivers = [webhook(port)]
    for part in (0.0, 0.5):
        loop = NotifyLoop(
            store=night.store,
            policy=night.policy,
            clock=night.clock,
            receiver=night.receivers[0],
            jitter=lambda part=part: part,  # type: ignore[misc]
        )
        night.notify = [loop]
        if part == 0.0:
            night.find()
        night.alerts.step()
        loop.step()
        (queued,) = night.outbox()
        assert queued.next_attempt_at is not None
        pauses.append((queued.next_attempt_at - night.clock.at).total_seconds())
    assert pauses == [0.0, 2.5]


def test_a_receiver_that_fails_is_reported_through_the_others_until_it_works(night: Night) -> None:
    with listening() as broken, listening() as works:
        night.policy = replace(night.policy, alerts=replace(night.policy.alerts, receivers=("pager", "other")))
        night.start(webhook(broken.port), webhook(works.port, name="other"))
        check = ReceiverCheck(night.store, ("pager", "other"))
        loop = CheckLoop(store=night.store, policy=night.policy, clock=night.clock, checks=[check])
        night.alerts = AlertLoop(store=night.store, policy=night.policy, clock=night.clock)
        broken.status = 503
        night.find()
        night.live(9 * MINUTE, step=MINUTE)
        loop.step()
        night.live(MINUTE, step=timedelta(seconds=10))
        assert {body["alert"]["rule"] for body in works.bodies} == {"QualityRegression"}
        night.live(2 * MINUTE, step=MINUTE)
        loop.step()
        night.live(MINUTE, step=timedelta(seconds=10))
        page = works.bodies[-1]
        assert (page["alert"]["rule"], page["reason"]) == ("ReceiverFailing", "first")
        assert "receiver pager does not accept notifications for" in page["alert"]["summary"]
        assert "responded 503" in page["alert"]["summary"]
        broken.status = 204
        night.live(15 * MINUTE, step=MINUTE)
        loop.step()
        night.live(MINUTE, step=timedelta(seconds=10))
        assert (works.bodies[-1]["alert"]["rule"], works.bodies[-1]["reason"]) == ("ReceiverFailing", "resolved")
        assert {body["alert"]["rule"] for body in broken.bodies} == {"QualityRegression"}


def test_a_refused_notification_is_reported_at_once() -> None:
    base: dict[str, Any] = {"queued": 1, "attempts": 1, "since": T0, "error": "responded 401"}
    refused = receiver_condition("hook", refused=True, now=T0, **base)
    assert (refused.state, refused.rule) == (ConditionState.FIRING, "ReceiverFailing")
    assert "receiver hook refuses notifications: responded 401; 1 notification not delivered" in refused.reason
    waiting = receiver_condition("hook", refused=False, now=T0 + 9 * MINUTE, **base)
    assert waiting.state is ConditionState.UNKNOWN
    assert receiver_condition("hook", refused=False, now=T0 + 10 * MINUTE, **base).state is ConditionState.FIRING
    untried = base | {"attempts": 0}
    assert receiver_condition("hook", refused=False, now=T0 + HOUR, **untried).state is ConditionState.UNKNOWN
    clear = receiver_condition("hook", queued=0, attempts=0, refused=False, since=None, error=None, now=T0)
    assert clear.state is ConditionState.CLEAR
