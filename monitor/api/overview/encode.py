"""One deployment as an item of the overview."""

from collections.abc import Sequence
from datetime import timedelta
from typing import get_args

from monitor.alerting.checks.condition import DAEMON
from monitor.api.overview.area_health import INGEST_RULES, JUDGE_RULES, SET_RULES, area_health
from monitor.api.overview.encode_sets import sets_of, verdict_of
from monitor.api.overview.facts import Facts
from monitor.api.overview.schedule_times import next_replay, schedules_of
from monitor.api.schema.overview import (
    DeploymentStateName,
    OverviewAlertsItem,
    OverviewChangeItem,
    OverviewItem,
    OverviewReplayItem,
    OverviewTrafficItem,
)
from monitor.domain.alert import Alert, AlertState
from monitor.domain.deployment_state import state_of
from monitor.domain.policy import Policy
from monitor.domain.review import CandidateCounts
from monitor.store.overview.rows import OpenReplay, Traffic

SEVERITIES = ("critical", "warning", "info")
ORDER = get_args(DeploymentStateName)


def overview(facts: Facts, policy: Policy) -> list[OverviewItem]:
    """Return the items, the worst state first, then by name."""
    items = [_item(facts, policy, name) for name in facts.sets_of]
    return sorted(items, key=lambda item: (ORDER.index(item.state), item.deployment))


def _item(facts: Facts, policy: Policy, deployment: str) -> OverviewItem:
    schedules = schedules_of(policy, deployment)
    known = {name: each.measures for name, each in policy.sets.items()}
    sets = [
        one.model_copy(update={"measures": known.get(one.set_name)})
        for one in sets_of(facts, deployment, schedules, timedelta(seconds=policy.alerts.replays.grace_s))
    ]
    alerts = facts.alerts.get(deployment, ())
    found = state_of([verdict_of(item) for item in sets], alerts, facts.now)
    current, counted = facts.versions.get(deployment), facts.candidates.get(deployment, CandidateCounts())
    both = (*alerts, *(facts.alerts.get(DAEMON, ()) if deployment != DAEMON else ()))
    unvalidated = [f"set {item.set_name}: {item.held_back}" for item in sets if item.held_back is not None]
    return OverviewItem(
        deployment=deployment,
        state=found.state.value,
        reason=found.reason,
        since=found.since,
        alert_id=None if found.alert is None else found.alert.id,
        version_label=None if current is None else facts.labels.get((deployment, current.version or "")),
        change=_change(facts, deployment),
        sets=sets,
        alerts=_alerts(alerts),
        traffic=_traffic(facts.traffic.get(deployment) or Traffic(deployment=deployment)),
        candidates_proposed=counted.proposed,
        candidates_ready=counted.ready,
        replay=_replay(facts.replays.get(deployment)),
        next_replay=next_replay(schedules, deployment, facts.pauses, facts.now),
        judges=area_health(JUDGE_RULES, deployment, both, facts.conditions, unvalidated),
        set_health=area_health(SET_RULES, deployment, both, facts.conditions),
        ingest=area_health(INGEST_RULES, deployment, both, facts.conditions),
    )


def _change(facts: Facts, deployment: str) -> OverviewChangeItem | None:
    found = facts.versions.get(deployment)
    if found is None or found.change_id is None or found.at is None or found.version is None:
        return None
    before = None if found.from_version is None else facts.labels.get((deployment, found.from_version))
    return OverviewChangeItem(
        id=found.change_id,
        at=found.at,
        kind=found.kind or "",
        how=found.how or "",
        from_label=before or found.from_version,
        to_label=facts.labels.get((deployment, found.version), found.version),
    )


def _alerts(alerts: Sequence[Alert]) -> OverviewAlertsItem:
    counts = {severity: sum(alert.severity == severity for alert in alerts) for severity in SEVERITIES}
    lead = min(alerts, key=_urgency, default=None)
    return OverviewAlertsItem(
        **counts,
        acknowledged=sum(alert.acknowledged_at is not None for alert in alerts),
        lead_id=None if lead is None else lead.id,
        lead_summary=None if lead is None else lead.summary,
    )


def _urgency(alert: Alert) -> tuple[int, bool]:
    known = SEVERITIES.index(alert.severity) if alert.severity in SEVERITIES else len(SEVERITIES)
    return known, alert.state is not AlertState.FIRING


def _traffic(found: Traffic) -> OverviewTrafficItem:
    return OverviewTrafficItem(
        calls=found.calls,
        calls_today=found.calls_today,
        corrections=found.corrections,
        corrections_today=found.corrections_today,
        last_call_at=found.last_call_at,
    )


def _replay(found: OpenReplay | None) -> OverviewReplayItem | None:
    if found is None:
        return None
    waits = found.retry_at is not None
    return OverviewReplayItem(
        run_id=found.id,
        set_name=found.set_name,
        state="waiting" if waits else "running" if found.state == "running" else "planned",
        started_at=found.started_at,
        done=min(found.outcomes, found.samples),
        total=found.samples,
    )
