from dataclasses import replace
from datetime import timedelta

import pytest

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.alerting.render import render
from monitor.domain.alert import Notification
from monitor.domain.policy import WatchdogPolicy
from monitor.jobs.alerting.watchdog_loop import WatchdogLoop
from tests.api.policies import policy
from tests.jobs.alerting.test_notify_loop import T0
from tests.jobs.replay.test_schedule_loop import MovedClock


class Recording:
    """A receiver that stores what it gets, or fails."""

    name = "heartbeat"

    def __init__(self) -> None:
        self.sent: list[Notification] = []
        self.fails = False

    def reach(self) -> None: ...

    def send(self, notification: Notification) -> None:
        if self.fails:
            raise ReceiverUnavailable("receiver 'heartbeat' cannot be reached")
        self.sent.append(notification)

    def close(self) -> None: ...


class Dog:
    def __init__(self, every_s: float = 60.0) -> None:
        base = policy()
        self.clock, self.receiver, self.reason = MovedClock(T0), Recording(), ""
        self.loop = WatchdogLoop(
            policy=replace(
                base, alerts=replace(base.alerts, watchdog=WatchdogPolicy(receivers=("heartbeat",), every_s=every_s))
            ),
            clock=self.clock,
            receivers={"heartbeat": self.receiver},
            not_ready=lambda: self.reason or None,
        )

    def live(self, seconds: int) -> int:
        before = len(self.receiver.sent)
        for _ in range(seconds):
            assert self.loop.step() == 0
            self.clock.at += timedelta(seconds=1)
        return len(self.receiver.sent) - before


def test_the_signal_is_sent_at_every_interval_and_is_one_alert_that_fires() -> None:
    dog = Dog()
    assert dog.live(600) == 10
    bodies = [one.payload for one in dog.receiver.sent]
    assert {(body["alert"]["rule"], body["group"]["state"]) for body in bodies} == {("Watchdog", "firing")}
    assert len({body["group"]["id"] for body in bodies}) == 1
    assert "driftd runs since" in render(bodies[0]).text


def test_a_daemon_that_cannot_work_sends_no_signal() -> None:
    dog = Dog()
    assert dog.live(60) == 1
    dog.reason = "a loop has crashed: alerts"
    assert dog.live(600) == 0
    dog.reason = ""
    assert dog.live(120) == 2


def test_a_receiver_that_fails_is_logged_once_and_gets_the_next_signal(caplog: pytest.LogCaptureFixture) -> None:
    dog = Dog(every_s=5.0)
    dog.receiver.fails = True
    assert dog.live(60) == 0
    assert [record.message for record in caplog.records].count(
        "the watchdog cannot send its signal: receiver 'heartbeat' cannot be reached"
    ) == 1
    dog.receiver.fails = False
    assert dog.live(10) == 2


def test_a_clock_that_jumps_back_does_not_silence_it() -> None:
    dog = Dog()
    assert dog.live(10) == 1
    dog.clock.at -= timedelta(days=1)
    assert dog.live(10) == 1
