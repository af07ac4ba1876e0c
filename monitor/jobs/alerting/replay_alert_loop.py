"""Opens an alert when the replays of a set fail, are insufficient or did not run. The next good run resolves it."""

import logging
from collections.abc import Iterable
from datetime import datetime, timedelta

from monitor.alerting.replay_health import judge_replays
from monitor.clock import Clock
from monitor.domain.evalset import SetKind
from monitor.domain.finding import Finding, ReadSource, Verdict
from monitor.domain.future_instant import TOLERANCE
from monitor.domain.policy import DeploymentPolicy, Policy, SchedulePolicy, SetPolicy
from monitor.domain.replay_health import (
    EndedRun,
    Expected,
    Replays,
    ReplayState,
    is_about_replays,
    replays_of,
)
from monitor.domain.run import new_id
from monitor.jobs.due import due_instant, next_instant
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import alerts, findings
from monitor.store.runs import replay_history
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
_RULES = {
    ReplayState.FAILED: "ReplayFailed",
    ReplayState.INSUFFICIENT: "ReplayInsufficient",
    ReplayState.MISSED: "ReplayMissed",
    ReplayState.TOO_FEW_CASES: "DynamicSetTooSmall",
}
CHECK_EVERY = timedelta(seconds=15)


class ReplayAlertLoop:
    """Writes one finding for each change of state of a deployment and set. The alert stays open until a good run.

    The loop recomputes the state from the tables in each step, so a restart changes nothing.
    """

    name = "replay-watch"
    poll_s = 15.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._checked: tuple[datetime, tuple[object, ...]] | None = None

    def step(self) -> int:
        now = self._clock.now()
        with self._store.read() as tx:
            activity = replay_history.activity(tx)
        if self._checked is not None and self._checked[1] == activity and abs(now - self._checked[0]) < CHECK_EVERY:
            return 0
        count = sum(self._check(deployment, eval_set, now) for deployment, eval_set in self._pairs())
        count += self._end_removed()
        self._checked = now, activity
        return count

    def _pairs(self) -> Iterable[tuple[DeploymentPolicy, SetPolicy]]:
        for deployment in self._policy.deployments.values():
            for name in deployment.sets:
                yield deployment, self._policy.sets[name]

    def _check(self, deployment: DeploymentPolicy, eval_set: SetPolicy, now: datetime) -> int:
        name = replays_of(deployment.name, eval_set.name)
        with self._store.read() as tx:
            replays = self._replays(tx, deployment, eval_set, now)
            last = findings.newest_of_source(tx, name)
        health = judge_replays(replays, self._policy.alerts.replays, now)
        if health is None:
            return 0
        severity = self._policy.alerts.replays.severity(health.state)
        bad = health.state is not ReplayState.GOOD and severity is not None
        was_bad = last is not None and last.verdict is Verdict.REGRESSION
        known = last is not None and (last.reason, last.severity) == (health.reason, severity)
        if (was_bad and known) if bad else not was_bad:
            return 0
        reason = (
            health.reason if bad or severity is not None else f"alerts.replays.{health.state} is off: {health.reason}"
        )
        self._write(deployment.name, name, reason, rule=_RULES.get(health.state), bad=bad, severity=severity or "info")
        return 1

    def _replays(self, tx: Tx, deployment: DeploymentPolicy, eval_set: SetPolicy, now: datetime) -> Replays:
        ended = replay_history.ended(
            tx, deployment.name, eval_set.name, min_cases=deployment.drift.min_cases, now=now + TOLERANCE
        )
        filled = replay_history.first_filled_at(tx, eval_set.name)
        schedules = [s for s in self._policy.schedules.values() if deployment.name in s.deployments]
        seen = {s.name: replay_history.handled(tx, s.name, deployment.name, now) for s in schedules}
        begun = [one for one in seen.values() if one is not None]
        empty_since = None
        if filled is None and begun:
            first = min(one.first for one in begun)
            empty_since = max(first, replay_history.emptied_at(tx, eval_set.name) or first)
        handled_at = max((one.handled_at for one in begun), default=None)
        return Replays(
            deployment=deployment.name,
            set_name=eval_set.name,
            dynamic=eval_set.kind is SetKind.DYNAMIC,
            ended=ended,
            open=replay_history.open_run(tx, deployment.name, eval_set.name, handled_at),
            expected=tuple(
                _expected(schedule, one, ended, filled, now) for schedule in schedules if (one := seen[schedule.name])
            ),
            empty_since=empty_since,
        )

    def _end_removed(self) -> int:
        """Resolve alerts about deployments and sets that are no longer configured."""
        known = {replays_of(deployment.name, eval_set.name) for deployment, eval_set in self._pairs()}
        with self._store.read() as tx:
            gone = [a for a in alerts.open_all(tx) if is_about_replays(a.source) and a.source not in known]
        return sum(self._end(alert.deployment, alert.source or "") for alert in gone)

    def _end(self, deployment: str, source: str) -> int:
        with self._store.read() as tx:
            last = findings.newest_of_source(tx, source)
        if last is None or last.verdict is not Verdict.REGRESSION:
            return 0
        reason = f"{source} are no longer configured"
        self._write(deployment, source, reason, rule=last.rule, bad=False, severity="info")
        return 1

    def _write(self, deployment: str, source: str, reason: str, *, rule: str | None, bad: bool, severity: str) -> None:
        now = self._clock.now()
        finding = Finding(
            id=new_id("finding", now),
            deployment=deployment,
            at=now,
            signal="source",
            segment="overall",
            subject=ReadSource(source=source),
            verdict=Verdict.REGRESSION if bad else Verdict.OK,
            severity=severity,
            reason=reason,
            alpha=0.0,
            rule=rule or "ReplayFailed",
        )
        with self._store.write() as tx:
            findings.insert(tx, finding)
        log.log(logging.WARNING if bad else logging.INFO, "finding %s: %s", finding.id, reason)
        self._telemetry.count("driftd.findings", 1, {"deployment": deployment, "verdict": finding.verdict.value})


def _expected(
    schedule: SchedulePolicy,
    seen: replay_history.Handled,
    ended: Iterable[EndedRun],
    filled: datetime | None,
    now: datetime,
) -> Expected:
    """Return the expected instants. A failed run that a person started belongs to no instant."""
    counted = (run.planned_at for run in ended if not run.by_hand or run.state is ReplayState.GOOD)
    after = max(at for at in (seen.first, filled, *counted) if at is not None and at <= now)
    missed = next_instant(schedule, after)
    return Expected(
        schedule=schedule.name,
        missed=missed if missed is not None and missed <= now else None,
        due=due_instant(schedule, seen.last, now) is not None,
        handled=missed is not None and seen.last >= missed,
    )
