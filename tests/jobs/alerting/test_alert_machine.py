"""A state machine over pushes, acknowledgements, silences, kills and the clock, on the real loops and a real store.

No firing and no resolution is lost, and no receiver gets two pages of one episode within the repeat interval.
"""

import tempfile
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from monitor.alerting import advance
from monitor.alerting.history import events_of
from monitor.alerting.needs_update import covers
from monitor.alerting.notify.base import ReceiverRefused, ReceiverUnavailable
from monitor.domain.alert import AlertState, Notification, NotifyReason
from monitor.domain.finding import Verdict
from monitor.domain.run import new_id
from monitor.domain.silence import Silence, matcher_of
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.store.engine.database import Store
from monitor.store.findings import alerts, findings, silences
from tests.api.policies import policy
from tests.jobs.replay.test_schedule_loop import MovedClock
from tests.store.build import finding

START = datetime.fromisoformat("2026-11-21T02:00:00+00:00")
REPEAT_S, WAIT_S, INTERVAL_S = 3600.0, 30.0, 300.0
SETS = ("a", "b", "c")
LIKELY = (*[Verdict.REGRESSION] * 5, Verdict.OK, Verdict.OK, Verdict.INSUFFICIENT, Verdict.FAILED)
MODES = (*["works"] * 4, "away", "refuses", "kills", "kills")


class Killed(BaseException):
    """The process ends between the delivery and its record."""


@dataclass
class Sink:
    """A receiver outside the process: it keeps what it got over kills."""

    name: str = "pager"
    mode: str = "works"
    got: list[tuple[datetime, Notification]] = field(default_factory=list)
    clock: Any = None

    def reach(self) -> None: ...

    def send(self, notification: Notification) -> None:
        if self.mode == "away":
            raise ReceiverUnavailable("receiver 'pager' is away")
        if self.mode == "refuses":
            raise ReceiverRefused("receiver 'pager' responded 400")
        self.got.append((self.clock.now(), notification))
        if self.mode == "kills":
            self.mode = "works"
            raise Killed

    def close(self) -> None: ...


class AlertMachine(RuleBasedStateMachine):
    @initialize(for_s=st.sampled_from([0.0, 120.0]))
    def begin(self, for_s: float) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="driftd-machine-")
        self.clock = MovedClock(START)
        self.sink = Sink(clock=self.clock)
        base = policy()
        self.policy = replace(
            base,
            alerts=replace(
                base.alerts,
                for_s=for_s,
                repeat_s=REPEAT_S,
                receivers=("pager",),
                group_wait_s=WAIT_S,
                group_interval_s=INTERVAL_S,
                backoff_s=5.0,
                max_pause_s=300.0,
            ),
        )
        self.number = 0
        self.start()

    def start(self) -> None:
        self.store = Store.open(Path(self.folder.name) / "driftd.duckdb", clock=self.clock)
        common: dict[str, Any] = {"store": self.store, "policy": self.policy, "clock": self.clock}
        self.alert_loop = AlertLoop(**common)
        self.notify_loop = NotifyLoop(**common, receiver=self.sink, jitter=lambda: 1.0)

    def teardown(self) -> None:
        if not hasattr(self, "store"):
            return
        self.settle()
        self.no_double_page()
        self.store.close()
        self.folder.cleanup()

    @rule(name=st.sampled_from(SETS), verdict=st.sampled_from(LIKELY), worse=st.booleans())
    def push(self, name: str, verdict: Verdict, worse: bool) -> None:
        self.number += 1
        severity = ("critical" if worse else "warning") if verdict in {Verdict.REGRESSION, Verdict.DRIFT} else "info"
        change = "c1" if name in {"a", "b"} else None
        row = finding(
            f"f-{self.number}",
            set_name=name,
            verdict=verdict,
            severity=severity,
            at=self.clock.at,
            change_id=change,
        )
        with self.store.write() as tx:
            findings.insert(tx, row)
        self.live()

    @rule(name=st.sampled_from(SETS), worse=st.booleans(), seconds=st.sampled_from([0, 31, 400]))
    def incident(self, name: str, worse: bool, seconds: int) -> None:
        self.push(name=name, verdict=Verdict.REGRESSION, worse=worse)
        self.wait(seconds=seconds, times=5)

    @rule(name=st.sampled_from(SETS), seconds=st.sampled_from([0, 31, 400]))
    def recovery(self, name: str, seconds: int) -> None:
        self.push(name=name, verdict=Verdict.OK, worse=False)
        self.wait(seconds=seconds, times=2)

    @rule(seconds=st.sampled_from([5, 29, 31, 120, 299, 301, 1800, 3601, 9000]), times=st.integers(1, 3))
    def wait(self, seconds: int, times: int) -> None:
        for _ in range(times):
            self.clock.at += timedelta(seconds=seconds)
            self.live()

    @rule(mode=st.sampled_from(MODES))
    def receiver(self, mode: str) -> None:
        self.sink.mode = mode
        self.live()

    @rule(clean=st.booleans())
    def restart(self, clean: bool) -> None:
        if clean:
            self.live()
        self.store.close()
        self.start()

    @precondition(lambda self: self.open_ids())
    @rule(pick=st.integers(0, 9), action=st.sampled_from(["acknowledge", "unacknowledge", "resolve"]))
    def person(self, pick: int, action: str) -> None:
        ids = self.open_ids()
        now = self.clock.now()
        with self.store.write() as tx:
            before = alerts.get(tx, ids[pick % len(ids)])
            assert before is not None
            if action == "acknowledge":
                after = advance.acknowledge(before, now, "ada", None)
            elif action == "unacknowledge":
                after = before if before.acknowledged_at is None else advance.unacknowledge(before, now)
            else:
                after = advance.resolve(before, now)
            alerts.change(tx, after, events_of(before, after, now, by="ada"))
        self.live()

    @rule(name=st.sampled_from(SETS), hours=st.sampled_from([1, 5]))
    def silence(self, name: str, hours: int) -> None:
        now = self.clock.now()
        with self.store.write() as tx:
            silences.insert(
                tx,
                Silence(
                    id=new_id("silence", now),
                    matchers=(matcher_of(f"set={name}"),),
                    created_by="ada",
                    comment="planned",
                    created_at=now,
                    starts_at=now,
                    ends_at=now + timedelta(hours=hours),
                ),
            )
        self.live()

    def open_ids(self) -> list[str]:
        if not hasattr(self, "store"):
            return []
        with self.store.read() as tx:
            return sorted(alert.id for alert in alerts.open_all(tx))

    def live(self) -> None:
        """Run both loops until nothing is due. A kill starts them again."""
        for _ in range(50):
            try:
                if not self.alert_loop.step() + self.notify_loop.step():
                    return
            except Killed:
                with suppress(Exception):
                    self.store.close()
                self.start()

    def settle(self) -> None:
        """The receiver works, every silence ends and every wait is over. Then everything that fires was announced."""
        self.sink.mode = "works"
        for _ in range(30):
            self.clock.at += timedelta(seconds=1201)
            self.live()
        with self.store.read() as tx:
            ids = alerts.live_groups(tx, ["pager"])
            firing = [alert for alert in alerts.open_all(tx) if alert.state is AlertState.FIRING]
            everyone = alerts.of_groups(tx, ids) + firing
        told = self.told()
        for alert in firing:
            if alert.acknowledged_at is None:
                assert told[alert.id][-1] == "firing", f"{alert.id} fires, and the receiver does not know it"
        for alert in everyone:
            if alert.state is AlertState.RESOLVED and told.get(alert.id, [""])[-1] == "firing":
                members = [other for other in firing if other.group_id == alert.group_id]
                assert members, f"{alert.id} is resolved, and the receiver believes that it fires"
                assert all(other.acknowledged_at is not None for other in members)

    def told(self) -> dict[str, list[str]]:
        """Return what the receiver got about each alert, the oldest first."""
        found: dict[str, list[str]] = defaultdict(list)
        for _, notification in self.sink.got:
            for alert_id, entry in covers(notification).items():
                found[alert_id].append(entry.state)
        return found

    @invariant()
    def no_double_page(self) -> None:
        """Per group: one `first` until its end, and pages without news at least a repeat interval apart."""
        if not hasattr(self, "sink"):
            return
        unique = {notification.id: (at, notification) for at, notification in self.sink.got}  # a kill sends one twice
        last: dict[str, datetime] = {}
        begun: dict[str, bool] = {}
        for at, notification in sorted(unique.values(), key=lambda pair: (pair[0], pair[1].planned_at)):
            group = notification.group_id
            if notification.reason is NotifyReason.FIRST:
                assert not begun.get(group), "two first pages of one episode"
            if notification.reason is NotifyReason.REPEAT:
                assert (at - last[group]).total_seconds() >= REPEAT_S, "a repeat within the repeat interval"
            if notification.reason is NotifyReason.UPDATE:
                assert (at - last[group]).total_seconds() >= INTERVAL_S, "an update within the group interval"
            begun[group] = notification.reason is not NotifyReason.RESOLVED
            last[group] = at


AlertMachine.TestCase.settings = settings(
    max_examples=10,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
TestAlertMachine = AlertMachine.TestCase
