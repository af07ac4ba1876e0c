"""Reads the conditions of every check, and writes one finding for each change of a condition."""

import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from monitor.alerting.checks.condition import Check, Condition, ConditionState, verdict_of
from monitor.clock import Clock
from monitor.domain.finding import Finding, ReadSource, Verdict
from monitor.domain.policy import Policy
from monitor.domain.rules import RULES
from monitor.domain.run import new_id
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.store.runs import replay_history
from monitor.telemetry import NO_TELEMETRY, GaugeValue, Recorder

log = logging.getLogger(__name__)


class CheckLoop:
    """The stored findings contain the last reported state, so a restart reports nothing twice."""

    name = "checks"
    poll_s = 2.0

    def __init__(
        self, *, store: Store, policy: Policy, clock: Clock, checks: Sequence[Check], telemetry: Recorder = NO_TELEMETRY
    ) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._checks = checks
        self._activity: tuple[object, ...] | None = None
        self._last: dict[findings.ConditionKey, Finding] = {}
        self._read_at: dict[int, datetime] = {}  # by position in `checks`
        self._now: dict[int, list[Condition]] = {}  # the newest conditions, for the gauge

    def step(self) -> int:
        with self._store.read() as tx:
            activity = replay_history.activity(tx)
            changed = activity != self._activity
            if changed:
                self._last = findings.newest_of_conditions(tx)
        due = [n for n, check in enumerate(self._checks) if self._is_due(n, check, changed=changed)]
        written = sum(self._run(n) for n in due)
        self._activity = activity  # after the checks: a step that fails repeats them
        return written

    def conditions(self) -> list[Condition]:
        """Return the newest conditions of all checks; none before the first step."""
        return [condition for conditions in list(self._now.values()) for condition in conditions]

    def values(self) -> Iterable[GaugeValue]:
        """Yield the number of conditions in each state, for each rule and deployment."""
        found = self.conditions()
        counted = Counter((one.rule, one.deployment, one.state) for one in found)
        for rule, deployment in sorted({(one.rule, one.deployment) for one in found}):
            for state in ConditionState:
                labels = {"rule": rule, "deployment": deployment, "state": state.value}
                yield GaugeValue(value=counted[rule, deployment, state], labels=labels)

    def _is_due(self, number: int, check: Check, *, changed: bool) -> bool:
        read_at = self._read_at.get(number)
        if read_at is None or (changed and check.follows_runs):
            return True
        return abs(self._clock.now() - read_at) >= timedelta(seconds=check.every_s)

    def _run(self, number: int) -> int:
        check, now = self._checks[number], self._clock.now()
        conditions = list(check.conditions(now))
        written = sum(self._report(condition, now) for condition in conditions)
        written += sum(self._report(condition, now) for condition in self._removed(check, conditions))
        self._now[number], self._read_at[number] = conditions, now
        return written

    def _removed(self, check: Check, conditions: Iterable[Condition]) -> list[Condition]:
        """Return a clear condition for each one of the rules that was firing and no longer exists."""
        known = {condition.key for condition in conditions}
        gone = [key for key in self._last if key[0] in check.rules and key not in known]
        return [
            Condition(
                rule=rule,
                deployment=deployment,
                subject=subject,
                state=ConditionState.CLEAR,
                reason=f"{subject}: no longer configured",
            )
            for rule, deployment, subject in gone
        ]

    def _report(self, condition: Condition, now: datetime) -> int:
        rule = self._policy.alerts.rule(condition.rule)
        verdict = verdict_of(condition, self._last.get(condition.key), enabled=rule.enabled)
        if verdict is None:
            return 0
        firing = verdict is Verdict.REGRESSION
        off = f"alerts.rules.{condition.rule} is off: {condition.reason}"
        finding = Finding(
            id=new_id("finding", now),
            deployment=condition.deployment,
            at=now,
            signal="source",
            segment="overall",
            subject=ReadSource(source=condition.subject),
            verdict=verdict,
            severity=(condition.severity or RULES[condition.rule].severity or "warning") if firing else "info",
            reason=condition.reason if rule.enabled else off,
            alpha=0.0,
            rule=condition.rule,
        )
        with self._store.write() as tx:
            findings.insert(tx, finding)
        self._last[condition.key] = finding
        level = logging.WARNING if firing else logging.INFO
        log.log(level, "finding %s: %s: %s", finding.id, finding.rule, finding.reason)
        self._telemetry.count("driftd.findings", 1, {"deployment": finding.deployment, "verdict": verdict.value})
        return 1
