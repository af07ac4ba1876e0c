"""Nights through the real loops: a replay that fails, is insufficient or does not run opens one alert."""

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from monitor.alerting.notify.console import Console
from monitor.domain.alert import Alert
from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import Window
from monitor.domain.evalset import SetKind
from monitor.domain.policy import RulePolicy, SchedulePolicy
from monitor.domain.rules import RULES
from monitor.domain.run import Trigger
from monitor.jobs.alerting.alert_loop import AlertLoop
from monitor.jobs.alerting.check_loop import CheckLoop
from monitor.jobs.alerting.notify_loop import NotifyLoop
from monitor.jobs.alerting.replay_checks import ReplayCheck
from monitor.jobs.replay.rescoring import Rescoring
from monitor.jobs.replay.schedule_loop import ScheduleLoop
from monitor.jobs.verdict.experiments import InvestigationDependencies
from monitor.jobs.verdict.verdict_loop import VerdictLoop
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import alerts
from monitor.store.runs import pauses
from monitor.supervisor import Loop
from replay.errors import CallError
from replay.targets.base import CallContext
from replay.types import Case, Reply
from tests.jobs.nightly import FIRST
from tests.jobs.replay_house import CASES, House, Model

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
BACKUP = Window(name="backup", timezone="UTC", start=time(1), end=time(12))
NAME = "replays of primes on support"


class Keyless(Model):
    """A model whose key is revoked, or which loses half of its answers, when the test sets it."""

    def __init__(self) -> None:
        super().__init__()
        self.revoked = self.half = False

    async def call(self, case: Case, sample: int, context: CallContext) -> Reply:
        if self.revoked:
            raise CallError("auth", "the key is refused", retryable=False)
        if self.half and len(self.asked) % 2:
            self.asked.append(case.id)
            raise CallError("content_filter", "refused by the filter", retryable=False)
        return await super().call(case, sample, context)


class Week:
    """The loops of a daemon from the schedule to the receiver, a nightly schedule at 02:00, and a clock."""

    def __init__(self, folder: Path, *, cases: bool = True, off: str | None = None) -> None:
        self.folder, self.house = folder, House(folder)
        self.house.clock.instant = FIRST - 12 * HOUR
        self.model = Keyless()
        self.house.loop._executor._dependencies = self.house.replaced(target_of=lambda _: self.model)
        if not cases:
            self._empty()
        nightly = SchedulePolicy(
            name="nightly", cron="0 2 * * *", timezone="UTC", deployments=("support",), catch_up_s=86_400.0
        )
        base = self.house.policy
        daily = {
            name: RulePolicy(name=name, enabled=name != off, repeat_s=86_400.0, receivers=("console",))
            for name in RULES
        }
        result = replace(base.alerts, receivers=("console",), rules=daily)
        self.policy = replace(base, schedules={"nightly": nightly}, alerts=result)
        self.stream = io.StringIO()
        self.start()

    def start(self) -> None:
        house, policy, clock = self.house, self.policy, self.house.clock
        common: dict[str, Any] = {"store": house.store, "policy": policy, "clock": clock}
        asks = InvestigationDependencies(rejudge_of=lambda _: Rescoring(house.store, [], None))
        self.loops: list[Loop] = [
            ScheduleLoop(**common),
            house.loop,
            VerdictLoop(**common, dependencies=asks),
            CheckLoop(**common, checks=[ReplayCheck(house.store, policy)]),
            AlertLoop(**common),
            NotifyLoop(**common, receiver=Console("console", self.stream)),
        ]
        self.settle()

    def kind(self, kind: SetKind) -> None:
        sets = {"primes": replace(self.policy.sets["primes"], kind=kind)}
        self.policy = replace(self.policy, sets=sets)
        self.start()

    def restart_after(self, down: timedelta) -> None:
        """Start again after the daemon was down for this time."""
        self.house.clock.instant += down
        self.house.restart(self.folder)
        self.start()

    def live(self, time: timedelta, step: timedelta = 2 * HOUR) -> None:
        end = self.now + time
        while self.now < end:
            self.house.clock.instant += step
            self.settle()

    def settle(self) -> None:
        for _ in range(20):
            if not sum(loop.step() for loop in self.loops):
                return
        raise AssertionError("the loops do not come to rest")

    @property
    def now(self) -> datetime:
        return self.house.clock.instant

    def alerts(self) -> list[Alert]:
        """Return the alerts about replays, the oldest first."""
        with self.house.store.read() as tx:
            return [a for a in alerts.page(tx, PageQuery(limit=500)).items[::-1] if a.source is not None]

    def states(self) -> list[tuple[str, str]]:
        return [(alert.state.value, alert.severity) for alert in self.alerts()]

    def headlines(self) -> list[str]:
        """Return the first word and the hour of each notification about replays."""
        return [line.split(" · ")[0] for line in self.stream.getvalue().splitlines() if f" · {NAME} · " in line]

    def _empty(self) -> None:
        with self.house.store.write() as tx:
            tx.execute("remove_revision", name="primes", revision="r1")


@pytest.fixture
def week(tmp_path: Path) -> Iterator[Week]:
    one = Week(tmp_path)
    yield one
    one.house.store.close()


def test_quiet_nights_open_nothing(week: Week) -> None:
    week.live(3 * DAY)
    assert week.alerts() == []
    assert len(week.model.asked) >= 3 * CASES


def test_a_revoked_key_is_one_alert_over_all_nights_and_the_next_good_night_resolves_it(week: Week) -> None:
    week.live(DAY)
    week.model.revoked = True
    week.live(3 * DAY)
    [firing] = week.alerts()
    assert (firing.state.value, firing.severity, firing.deployment, firing.source) == (
        "firing",
        "warning",
        "support",
        NAME,
    )
    for part in (
        "since 2026-03-02 02:00 UTC (schedule nightly)",
        "the key is refused",
        "driftd replay run support primes",
    ):
        assert part in firing.summary
    assert week.headlines() == ["FIRING", "STILL FIRING", "STILL FIRING"]  # once a day, not once a night and more
    week.model.revoked = False
    week.live(DAY)
    assert week.states() == [("resolved", "warning")]
    assert week.headlines()[3:] == ["RESOLVED"]


def test_a_target_that_is_down_opens_the_alert_when_its_run_gives_up(week: Week) -> None:
    week.live(DAY)
    week.model.out = True
    week.live(DAY)
    [firing] = week.alerts()
    assert "fail since 2026-03-02 02:00 UTC" in firing.summary
    assert "connection" in firing.summary


def test_a_night_of_which_half_has_no_score_is_insufficient(week: Week) -> None:
    week.live(DAY)
    week.model.half = True
    week.live(DAY)
    [firing] = week.alerts()
    assert (firing.state.value, firing.severity) == ("firing", "warning")
    assert "are insufficient since 2026-03-02 02:00 UTC (schedule nightly): only 40 of 80 cases" in firing.summary
    week.model.half = False
    week.live(DAY)
    assert week.states() == [("resolved", "warning")]


def test_the_first_night_can_be_insufficient_too(week: Week) -> None:
    week.model.half = True
    week.live(DAY)
    assert week.states() == [("firing", "warning")]


def test_a_good_run_by_hand_resolves_and_a_bad_one_opens_nothing(week: Week) -> None:
    week.live(DAY)
    week.model.revoked = True
    week.house.plan(Trigger.MANUAL)
    week.live(HOUR)
    assert week.alerts() == []
    week.live(DAY)
    week.model.revoked = False
    week.house.plan(Trigger.MANUAL)
    week.live(HOUR)
    assert week.states() == [("resolved", "warning")]


def test_a_failed_run_after_a_change_opens_the_alert(week: Week) -> None:
    week.live(DAY)
    week.model.revoked = True
    week.house.plan(Trigger.CHANGE)
    week.live(HOUR)
    assert week.states() == [("firing", "warning")]


def test_a_night_that_the_daemon_slept_through_and_cannot_catch_up_is_missed(week: Week) -> None:
    week.live(DAY)
    week.policy = replace(
        week.policy, schedules={"nightly": replace(week.policy.schedules["nightly"], catch_up_s=3600.0)}
    )
    week.restart_after(20 * HOUR)  # over 02:00, until 10:00
    week.live(HOUR)
    [firing] = week.alerts()
    assert "did not happen since 2026-03-02 02:00 UTC (schedule nightly)" in firing.summary
    assert "driftd was not running at that time" in firing.summary
    week.live(DAY)
    assert week.states() == [("resolved", "warning")]


def test_a_paused_schedule_misses_nothing(week: Week) -> None:
    week.live(DAY)
    with week.house.store.write() as tx:
        pauses.insert(tx, Pause(id="p1", schedule="nightly", paused_at=week.now, paused_by="anna"))
    week.live(4 * DAY)
    assert week.alerts() == []
    with week.house.store.write() as tx:
        pauses.resume(tx, "nightly", week.now, "ben")
    week.live(2 * DAY)
    assert week.alerts() == []


def test_a_missed_night_opens_nothing_while_the_schedule_is_paused_and_opens_the_alert_after_it(week: Week) -> None:
    week.live(DAY)
    week.policy = replace(
        week.policy, schedules={"nightly": replace(week.policy.schedules["nightly"], catch_up_s=3600.0)}
    )
    pause = Pause(id="p1", schedule="nightly", paused_at=week.now + 20 * HOUR, paused_by="anna")
    with week.house.store.write() as tx:
        pauses.insert(tx, pause)
    week.restart_after(20 * HOUR)  # over 02:00, until 10:00
    week.live(DAY)
    assert week.alerts() == []
    with week.house.store.write() as tx:
        pauses.resume(tx, "nightly", week.now, "ben")
    week.live(2 * HOUR)
    assert week.states() == [("firing", "warning")]


def test_a_night_that_a_blackout_skips_or_postpones_is_not_missed(week: Week) -> None:
    week.live(DAY)
    nightly = week.policy.schedules["nightly"]
    for postpone in (False, True):
        closed = replace(nightly, postpone=postpone, blackouts=(replace(BACKUP, days=frozenset({"mon", "tue"})),))
        week.policy = replace(week.policy, schedules={"nightly": closed})
        week.start()
        week.live(7 * DAY)
        assert week.alerts() == []


def test_a_night_that_is_caught_up_after_a_sleep_opens_nothing(week: Week) -> None:
    week.live(DAY)
    week.restart_after(20 * HOUR)
    week.live(5 * HOUR)
    assert week.alerts() == []


def test_a_run_that_does_not_end_within_the_grace_is_missed(week: Week) -> None:
    week.live(DAY)
    stuck, week.loops[1:2] = week.loops[1], []  # the replay loop does not get to it
    week.live(16 * HOUR)
    assert [alert.rule for alert in week.alerts()] == ["ReplayLate"]  # 06:00: within the grace
    week.live(8 * HOUR)
    [_, firing] = week.alerts()
    assert firing.rule == "ReplayMissed"
    assert "did not happen since 2026-03-02 02:00 UTC" in firing.summary
    assert "is planned and waits for its turn; see `driftd replay show run-" in firing.summary
    week.loops.insert(1, stuck)
    week.live(HOUR)
    assert week.states() == [("resolved", "warning"), ("resolved", "warning")]


def test_a_frozen_set_without_cases_is_missed_at_its_first_night(tmp_path: Path) -> None:
    week = Week(tmp_path, cases=False)
    week.kind(SetKind.FROZEN)
    week.live(DAY)
    [firing] = week.alerts()
    assert "the set has no cases; import them with `driftd sets import primes`" in firing.summary
    week.house.store.close()


def test_a_dynamic_set_that_stays_empty_is_said_after_a_week_and_once(tmp_path: Path) -> None:
    week = Week(tmp_path, cases=False)
    week.live(6 * DAY, step=6 * HOUR)
    assert week.alerts() == []
    week.live(10 * DAY, step=6 * HOUR)
    assert week.states() == [("firing", "info")]
    assert "the dynamic set has no cases yet" in week.alerts()[0].summary
    assert week.headlines() == ["FIRING"]
    week.house.store.close()


def test_a_level_that_is_off_opens_nothing(tmp_path: Path) -> None:
    week = Week(tmp_path, off="ReplayFailed")
    week.model.revoked = True
    week.live(3 * DAY)
    assert week.alerts() == []
    week.house.store.close()


def test_a_pair_that_is_no_longer_configured_ends_its_alert(week: Week) -> None:
    week.model.revoked = True
    week.live(DAY)
    assert week.states() == [("firing", "warning")]
    support = replace(week.policy.deployments["support"], sets=())
    week.policy = replace(week.policy, deployments={"support": support})
    week.restart_after(HOUR)
    assert week.states() == [("resolved", "warning")]


def test_a_restart_in_the_middle_says_nothing_twice(week: Week) -> None:
    week.model.revoked = True
    week.live(DAY)
    week.restart_after(timedelta(minutes=1))
    week.restart_after(timedelta(minutes=1))
    assert week.headlines() == ["FIRING"]
