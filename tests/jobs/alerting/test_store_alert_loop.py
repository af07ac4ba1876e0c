"""A store that cannot be written notifies the receivers from memory, and the alert is stored afterwards."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest

from monitor.alerting.notify.base import ReceiverUnavailable
from monitor.domain.alert import AlertState, DeliveryState, Notification
from monitor.domain.policy import AlertPolicy, Policy, RulePolicy
from monitor.domain.silence import Silence, matcher_of
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.check_loop import CheckLoop
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.jobs.alerting.source_checks import StoreCheck
from monitor.jobs.alerting.store_alert_loop import StoreAlertLoop
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import alerts, silences
from monitor.supervisor import Loop
from tests.jobs.nightly import Clock

FULL = {"writer": "retrying: /data/driftd.duckdb cannot be written now: No space left on device"}


@dataclass
class Pager:
    """A receiver that keeps what it gets, and that can be unavailable."""

    name: str = "pager"
    got: list[Notification] = field(default_factory=list)
    down: bool = False

    def reach(self) -> None: ...

    def send(self, notification: Notification) -> None:
        if self.down:
            raise ReceiverUnavailable("pager: connection refused")
        self.got.append(notification)

    def close(self) -> None: ...

    def reasons(self) -> list[str]:
        return [one.reason.value for one in self.got]


class Rig:
    """The loops around a store whose state the test sets."""

    def __init__(self, folder: Path) -> None:
        self.clock = Clock()
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)
        self.pager, self.states = Pager(), dict[str, str]()
        rule = RulePolicy(name="StoreReadOnly", severity="critical", receivers=("pager",), repeat_s=3600.0)
        settings = AlertPolicy(
            for_s=0,
            repeat_s=3600,
            receivers=("pager",),
            dashboard_url=None,
            backoff_s=5,
            max_pause_s=60,
            rules={"StoreReadOnly": rule},
        )
        policy = Policy(deployments={}, sets={}, schedules={}, alerts=settings)
        self.loop = StoreAlertLoop(
            store=self.store,
            policy=policy,
            clock=self.clock,
            receivers={"pager": self.pager},
            states=lambda: self.states,
        )
        self.others: list[Loop] = [
            CheckLoop(store=self.store, policy=policy, clock=self.clock, checks=[StoreCheck(lambda: self.states)]),
            AlertLoop(store=self.store, policy=policy, clock=self.clock),
            NotifyLoop(store=self.store, policy=policy, clock=self.clock, receiver=self.pager),
        ]

    def after(self, seconds: float) -> None:
        self.clock.instant += timedelta(seconds=seconds)
        self.loop.step()

    def recover(self) -> None:
        self.states.clear()
        self.after(2)
        for _ in range(4):
            self.clock.instant += timedelta(seconds=30)
            for loop in self.others:
                loop.step()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.store.close()


def stored(rig: Rig) -> list[tuple[str, AlertState]]:
    with rig.store.read() as tx:
        return [(one.rule, one.state) for one in alerts.page(tx, PageQuery(limit=10)).items]


def test_a_refused_write_that_passes_within_seconds_notifies_no_one(rig: Rig) -> None:
    rig.states.update(FULL)
    rig.after(0)
    rig.after(8)
    rig.recover()
    assert (rig.pager.reasons(), stored(rig)) == ([], [])


def test_the_receivers_are_notified_once_without_a_write_and_resolved_afterwards(rig: Rig) -> None:
    rig.states.update(FULL)
    for seconds in (0, 11, 2, 60, 600):
        rig.after(seconds)
    assert rig.pager.reasons() == ["first"]
    assert stored(rig) == []  # nothing was written
    payload = rig.pager.got[0].payload
    assert payload["alerts"][0]["labels"]["alertname"] == "StoreReadOnly"
    assert "No space left on device" in payload["alerts"][0]["summary"]
    rig.recover()
    assert rig.pager.reasons() == ["first", "resolved"]
    assert {one.payload["group"]["id"] for one in rig.pager.got} == {payload["group"]["id"]}
    assert stored(rig) == [("StoreReadOnly", AlertState.RESOLVED)]


def test_it_repeats_after_the_interval(rig: Rig) -> None:
    rig.states.update(FULL)
    for seconds in (0, 11, 3601):
        rig.after(seconds)
    assert rig.pager.reasons() == ["first", "repeat"]


def test_a_silence_holds_the_notifications(rig: Rig) -> None:
    now = rig.clock.now()
    silence = Silence(
        id="silence-1",
        matchers=(matcher_of("alertname=StoreReadOnly"),),
        created_by="anna",
        comment="the disk is replaced",
        created_at=now,
        starts_at=now,
        ends_at=now + timedelta(hours=1),
    )
    with rig.store.write() as tx:
        silences.insert(tx, silence)
    rig.states.update(FULL)
    rig.after(0)
    rig.after(11)
    assert rig.pager.reasons() == []
    rig.after(3600)
    assert rig.pager.reasons() == ["first"]


def test_an_unavailable_receiver_gets_it_later(rig: Rig) -> None:
    rig.states.update(FULL)
    rig.pager.down = True
    for seconds in (0, 11, 2):
        rig.after(seconds)
    rig.pager.down = False
    rig.after(60)
    assert rig.pager.reasons() == ["first"]


def test_what_was_not_delivered_in_time_is_in_the_outbox_afterwards(rig: Rig) -> None:
    rig.states.update(FULL)
    rig.pager.down = True
    rig.after(0)
    rig.after(11)
    rig.states.clear()
    rig.after(2)
    with rig.store.read() as tx:
        [alert] = alerts.page(tx, PageQuery(limit=10)).items
        [queued] = alerts.notifications_of(tx, alert.id)
    assert queued.state is DeliveryState.QUEUED


def test_a_rule_that_is_off_notifies_no_one(rig: Rig) -> None:
    rule = RulePolicy(name="StoreReadOnly", enabled=False)
    settings = AlertPolicy(
        for_s=0, repeat_s=60, receivers=(), dashboard_url=None, backoff_s=5, max_pause_s=60, rules={rule.name: rule}
    )
    policy = Policy(deployments={}, sets={}, schedules={}, alerts=settings)
    rig.loop = StoreAlertLoop(
        store=rig.store, policy=policy, clock=rig.clock, receivers={"pager": rig.pager}, states=lambda: FULL
    )
    rig.after(0)
    rig.after(60)
    assert rig.pager.reasons() == []
