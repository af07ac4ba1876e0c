"""Advances alerts by new findings and by time, and writes notifications to the outbox."""

import logging
from contextlib import AbstractContextManager
from datetime import datetime

from opentelemetry.trace import Span

from monitor.alerting.advance import advance, dedup_key, tick
from monitor.alerting.message import RecentRun, payload
from monitor.alerting.plan import plan
from monitor.clock import Clock
from monitor.domain.alert import Alert
from monitor.domain.evidence import Cause
from monitor.domain.finding import Finding, SetReplay
from monitor.domain.policy import Policy
from monitor.domain.run import new_id
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import alerts, findings
from monitor.store.runs import outcomes, runs
from monitor.store.traffic import versions
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
RECENT = 7  # earlier nights an alert shows


class AlertLoop:
    """Processes new findings, then open alerts whose time has come.

    A step of an alert and its notifications are one transaction.
    """

    name = "alerts"
    poll_s = 5.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._gave_up = False

    def step(self) -> int:
        self._give_up_removed()
        with self._store.read() as tx:
            waiting = findings.unalerted(tx)
        for finding in waiting:
            with self._advancing(finding.id) as span, self._store.write() as tx:
                self._apply(tx, finding, span)
        return len(waiting) + self._tick()

    def _apply(self, tx: Tx, finding: Finding, span: Span) -> None:
        now = self._clock.now()
        before = alerts.open_by_key(tx, dedup_key(finding))
        after = advance(before, finding, self._policy.alerts, now, new_id("alert", now))
        if after is not None and after != before:
            alerts.upsert(tx, after)
            log.info("alert %s is %s: %s", after.id, after.state, after.summary)
        if after is not None:
            span.set_attributes(_span_attributes(after))
            self._notify(tx, after, now)
        findings.mark_alerted(tx, [finding.id])

    def _tick(self) -> int:
        now = self._clock.now()
        with self._store.read() as tx:
            waiting = alerts.open_all(tx)
        queued = 0
        for alert in waiting:
            after = tick(alert, self._policy.alerts, now)
            if after == alert:
                with self._store.write() as tx:
                    queued += self._notify(tx, after, now)
            else:
                with self._advancing(after.last_finding_id) as span, self._store.write() as tx:
                    span.set_attributes(_span_attributes(after))
                    alerts.upsert(tx, after)
                    queued += self._notify(tx, after, now) + 1
        return queued

    def _advancing(self, finding_id: str) -> AbstractContextManager[Span]:
        return self._telemetry.span("alert.advance", in_trace=finding_id)

    def _notify(self, tx: Tx, alert: Alert, now: datetime) -> int:
        """Queue the notifications that are due for this alert. Return their number."""
        planned = plan(
            alert,
            alerts.notifications_of(tx, alert.id),
            self._policy.alerts,
            now,
            payload=lambda reason: payload(
                alert,
                (finding := _finding(tx, alert)),
                reason=reason,
                policy=self._policy.alerts,
                from_label=_label(tx, alert.deployment, alert.from_version),
                to_label=_label(tx, alert.deployment, alert.to_version),
                change=versions.get_change(tx, finding.change_id) if finding.change_id else None,
                recent=_recent(tx, finding),
                cause=_cause(tx, alert),
            ),
            new_id=lambda: new_id("notification", now),
        )
        for replaced in planned.replaced:
            alerts.update_notification(tx, replaced)
        alerts.insert_notifications(tx, planned.new)
        return len(planned.new)

    def _give_up_removed(self) -> None:
        """Drop notifications of removed receivers, once after each start: the configuration is constant in between."""
        if self._gave_up:
            return
        why = "its receiver is no longer configured or no longer in alerts.receivers"
        with self._store.write() as tx:
            count = alerts.give_up_others(tx, self._policy.alerts.receivers, why)
        self._gave_up = True
        if count:
            log.warning("%d undelivered notifications are given up: %s", count, why)


def _span_attributes(alert: Alert) -> dict[str, str]:
    return {"driftd.alert_id": alert.id, "driftd.state": alert.state.value}


def _finding(tx: Tx, alert: Alert) -> Finding:
    finding = findings.get(tx, alert.last_finding_id)
    assert finding is not None, f"alert {alert.id} names a finding that is not there"
    return finding


def _cause(tx: Tx, alert: Alert) -> Cause | None:
    """Return the cause that was found when the alert opened."""
    opening = findings.get(tx, alert.finding_id)
    return None if opening is None or opening.evidence is None else opening.evidence.cause


def _label(tx: Tx, deployment: str, version: str | None) -> str | None:
    found = versions.get(tx, deployment, version) if version else None
    return found.label if found else version


def _recent(tx: Tx, finding: Finding) -> list[RecentRun]:
    """Return the nights of the set before the run of the finding, oldest first. Production traffic has none."""
    if not isinstance(finding.subject, SetReplay):
        return []
    run_id = finding.subject.candidate_run
    earlier = [r for r in runs.of_set(tx, finding.deployment, finding.subject.set_name) if r.id != run_id]
    latest = [r for r in earlier if r.finished_at is not None and r.finished_at <= finding.at][-RECENT:]
    counts = outcomes.breakdown(tx, [r.id for r in latest])
    return [
        RecentRun(run_id=r.id, finished_at=r.finished_at, pass_rate=counts[r.id].passed / counts[r.id].scored)
        for r in latest
        if r.finished_at is not None and r.id in counts and counts[r.id].scored
    ]
