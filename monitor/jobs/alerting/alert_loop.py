"""Advances alerts by new findings and by time, and writes notifications to the outbox."""

import logging
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timedelta

from opentelemetry.trace import Span

from monitor.alerting.advance import advance, dedup_key, group_key, tick
from monitor.alerting.group import group_parts, lead_of
from monitor.alerting.history import events_of
from monitor.alerting.message import RecentRun, payload
from monitor.alerting.needs_update import Group
from monitor.alerting.plan import Planned, plan
from monitor.alerting.suppress import suppressed
from monitor.clock import Clock
from monitor.domain.alert import Alert, Notification
from monitor.domain.evidence import Cause
from monitor.domain.finding import Finding, SetReplay
from monitor.domain.policy import Policy
from monitor.domain.run import new_id
from monitor.jobs.alerting.version_facts import cost_of, differences_of
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import alerts, findings, silences
from monitor.store.runs import metric_nights, outcomes, runs
from monitor.store.traffic import versions
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
RECENT = 7  # earlier nights an alert shows


class AlertLoop:
    """Processes new findings, then open alerts whose time has come, then the groups that need a notification.

    The change of an alert and its events are one transaction. The notifications of a group are one transaction.
    """

    name = "alerts"
    poll_s = 5.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self._store, self._policy, self._clock, self._telemetry = store, policy.alerts, clock, telemetry
        self._measures = {name: each.measures for name, each in policy.sets.items()}
        self._gave_up = False

    def step(self) -> int:
        self._give_up_removed()
        with self._store.read() as tx:
            waiting = findings.unalerted(tx)
        for finding in waiting:
            with self._advancing(finding.id, _run_of(finding)) as span, self._store.write() as tx:
                self._apply(tx, finding, span)
        return len(waiting) + self._tick() + self._notify()

    def _apply(self, tx: Tx, finding: Finding, span: Span) -> None:
        now = self._clock.now()
        key = dedup_key(finding)
        before = alerts.open_by_key(tx, key)
        after = advance(
            before,
            finding,
            self._policy,
            now,
            new_id("alert", now),
            group_id=alerts.open_group_of(tx, group_key(finding, self._policy)),
            episodes=alerts.episodes(tx, key, now - timedelta(seconds=self._policy.flapping.window_s)),
        )
        if after is not None and after != before:
            alerts.change(tx, after, events_of(before, after, now))
            log.info("alert %s is %s: %s", after.id, after.state, after.summary)
        if after is not None:
            span.set_attributes(_span_attributes(after))
        findings.mark_alerted(tx, [finding.id])

    def _tick(self) -> int:
        now = self._clock.now()
        with self._store.read() as tx:
            waiting = alerts.open_all(tx)
        changed = 0
        for alert in waiting:
            if tick(alert, self._policy, now) == alert:
                continue
            with self._advancing(alert.last_finding_id) as span, self._store.write() as tx:
                before = alerts.get(tx, alert.id) or alert  # a person may have changed it since it was read
                after = tick(before, self._policy, now)
                span.set_attributes(_span_attributes(after))
                if after != before:
                    alerts.change(tx, after, events_of(before, after, now))
                    changed += 1
        return changed

    def _advancing(self, finding_id: str, run_id: str | None = None) -> AbstractContextManager[Span]:
        attributes = {"driftd.finding_id": finding_id} | ({} if run_id is None else {"driftd.run_id": run_id})
        return self._telemetry.span("alert.advance", attributes, in_trace=finding_id)

    def _notify(self) -> int:
        """Queue the notifications that are due. Return their number."""
        now = self._clock.now()
        with self._store.read() as tx:
            due = [group for group, sent in self._groups(tx, now) if self._plan(tx, group, sent, now).new]
        queued = 0
        for group in due:
            with self._store.write() as tx:
                queued += sum(self._queue(tx, *current, now) for current in self._groups(tx, now, group.id))
        return queued

    def _groups(self, tx: Tx, now: datetime, only: str | None = None) -> list[tuple[Group, list[Notification]]]:
        """Return the groups that can need a notification, each with its notifications so far."""
        ids = alerts.live_groups(tx, self._policy.all_receivers) if only is None else [only]
        if not ids:
            return []
        members, sent = alerts.of_groups(tx, ids), alerts.notifications_of_groups(tx, ids)
        hidden = suppressed(alerts.open_all(tx), silences.current(tx, now), now, self._policy.maintenance)
        groups = [
            Group(id=id_, alerts=[a for a in members if a.group_id == id_], suppressed=hidden) for id_ in sorted(ids)
        ]
        return [(group, [one for one in sent if one.group_id == group.id]) for group in groups if group.alerts]

    def _queue(self, tx: Tx, group: Group, sent: Sequence[Notification], now: datetime) -> int:
        planned = self._plan(tx, group, sent, now)
        for replaced in planned.replaced:
            alerts.update_notification(tx, replaced)
        alerts.insert_notifications(tx, planned.new)
        return len(planned.new)

    def _plan(self, tx: Tx, group: Group, sent: Sequence[Notification], now: datetime) -> Planned:
        lead = lead_of(group.alerts)
        return plan(
            group,
            sent,
            self._policy,
            now,
            payload=lambda reason: (
                payload(
                    lead,
                    (finding := _finding(tx, lead)),
                    reason=reason,
                    policy=self._policy,
                    from_label=_label(tx, lead.deployment, lead.from_version),
                    to_label=_label(tx, lead.deployment, lead.to_version),
                    change=versions.get_change(tx, finding.change_id) if finding.change_id else None,
                    recent=_recent(tx, finding),
                    cause=_cause(tx, lead),
                    diff=differences_of(tx, lead, finding),
                    cost=cost_of(tx, finding),
                    measures=self._measures.get(lead.set_name or ""),
                )
                | group_parts(group.alerts, self._policy, group.suppressed)
            ),
            new_id=lambda: new_id("notification", now),
        )

    def _give_up_removed(self) -> None:
        """Drop notifications of removed receivers, once after each start: the configuration is constant in between."""
        if self._gave_up:
            return
        why = "its receiver is no longer configured or no longer in alerts.receivers"
        with self._store.write() as tx:
            count = alerts.give_up_others(tx, self._policy.outbox_receivers, why)
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
    if finding.metric is not None:
        return _recent_of_metric(tx, finding, finding.metric, run_id)
    earlier = [r for r in runs.of_set(tx, finding.deployment, finding.subject.set_name) if r.id != run_id]
    latest = [r for r in earlier if r.finished_at is not None and r.finished_at <= finding.at][-RECENT:]
    counts = outcomes.breakdown(tx, [r.id for r in latest])
    return [
        RecentRun(run_id=r.id, finished_at=r.finished_at, pass_rate=counts[r.id].passed / counts[r.id].scored)
        for r in latest
        if r.finished_at is not None and r.id in counts and counts[r.id].scored
    ]


def _recent_of_metric(tx: Tx, finding: Finding, metric: str, run_id: str) -> list[RecentRun]:
    rows = metric_nights.of_set(
        tx, finding.deployment, finding.subject.name, nights=metric_nights.MOST_NIGHTS, metric=metric
    )
    earlier = [row for row in rows if row.run_id != run_id and row.at <= finding.at]
    return [RecentRun(run_id=row.run_id, finished_at=row.at, pass_rate=row.mean) for row in earlier[-RECENT:]]


def _run_of(finding: Finding) -> str | None:
    """Return the run that the finding judges; None for a finding about production or about driftd."""
    return finding.subject.candidate_run if isinstance(finding.subject, SetReplay) else None
