"""The parts of a notification that describe its group: the alerts, their number by state, and the links."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode

from monitor.alerting.severity import rank
from monitor.domain.alert import Alert, AlertState
from monitor.domain.policy import AlertPolicy

_ORDER = {AlertState.FIRING: 0, AlertState.PENDING: 1, AlertState.RESOLVED: 2}


def ordered(alerts: Sequence[Alert]) -> list[Alert]:
    """Return the alerts of a group, the most important first: firing, then the most severe, then the oldest."""
    return sorted(alerts, key=lambda a: (_ORDER[a.state], -rank(a.severity), a.pending_since, a.id))


def lead_of(alerts: Sequence[Alert]) -> Alert:
    """Return the most important alert of a group, which must not be empty."""
    return ordered(alerts)[0]


def group_parts(alerts: Sequence[Alert], policy: AlertPolicy, suppressed: Mapping[str, str]) -> dict[str, Any]:
    """Return `group`, `alerts` and `links` of the payload. Pending alerts are not listed."""
    listed = [alert for alert in ordered(alerts) if alert.state is not AlertState.PENDING]
    firing = [alert for alert in listed if alert.state is AlertState.FIRING]
    lead = lead_of(alerts)
    return {
        "group": {
            "id": lead.group_id,
            "key": lead.group_key,
            "state": "firing" if firing else "resolved",
            "firing": len(firing),
            "resolved": len(listed) - len(firing),
            "since": _iso(min((a.fired_at for a in listed if a.fired_at is not None), default=None)),
        },
        "alerts": [_entry(alert, policy, suppressed.get(alert.id)) for alert in listed],
        "links": {
            "dashboard": _page(policy, alert=lead.id),
            "runbook": runbook_url(policy, lead.rule),
            "silence": _page(policy, silence=lead.id),
            "acknowledge": _page(policy, acknowledge=lead.id),
        },
    }


def runbook_url(policy: AlertPolicy, rule: str) -> str | None:
    """Return the address of the runbook page of a rule: below `alerts.runbook_url`, else on the dashboard."""
    if policy.runbook_url is not None:
        return f"{policy.runbook_url.rstrip('/')}/{quote(rule)}.md"
    return _page(policy, runbook=rule)


def _entry(alert: Alert, policy: AlertPolicy, suppressed: str | None) -> dict[str, Any]:
    return {
        "id": alert.id,
        "rule": alert.rule,
        "state": str(alert.state),
        "severity": alert.severity,
        "summary": alert.summary,
        "deployment": alert.deployment,
        "labels": alert.labels,
        "finding_id": alert.last_finding_id,
        "pending_since": _iso(alert.pending_since),
        "fired_at": _iso(alert.fired_at),
        "resolved_at": _iso(alert.resolved_at),
        "acknowledged_by": alert.acknowledged_by,
        "flapping": alert.flapping,
        "suppressed": suppressed,
        "runbook_url": runbook_url(policy, alert.rule),
        "dashboard_url": _page(policy, alert=alert.id),
    }


def _page(policy: AlertPolicy, **query: str) -> str | None:
    """Return the address of the Alerts page of the dashboard."""
    if policy.dashboard_url is None:
        return None
    return f"{policy.dashboard_url.rstrip('/')}/alerts?{urlencode(query)}"


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
