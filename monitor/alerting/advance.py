"""The state machine of an alert: pending, firing, resolved. A finding or the clock triggers each step."""

from dataclasses import replace
from datetime import datetime

from monitor.alerting.severity import worst
from monitor.domain.alert import Alert, AlertState
from monitor.domain.finding import Finding, ProductionSeries, ReadSource, SetReplay, Verdict
from monitor.domain.policy import AlertPolicy


def dedup_key(finding: Finding) -> str:
    """Return the key of the alert, for example `support-bot/score/primes` or `support-bot/production/latency`.

    At most one alert of a key is open at a time.
    """
    return f"{finding.deployment}/{finding.signal}/{finding.subject.name}"


def advance(alert: Alert | None, finding: Finding, policy: AlertPolicy, now: datetime, new_id: str) -> Alert | None:
    """Return the alert after a new finding. `alert` is the open alert of the finding's key, or None.

    A regression, or a drift of traffic, opens an alert or updates the open one: its severity can rise but not fall. The
    alert fires `for_s` seconds after it opened. Ok and improvement resolve it. Insufficient and failed do not change
    it. The same finding twice changes nothing. A resolved alert stays resolved: the next regression opens a new one.

    Raises:
        ValueError: The finding and the alert have different keys.
    """
    if alert is not None and alert.dedup_key != dedup_key(finding):
        raise ValueError(
            f"finding {finding.id} is about {dedup_key(finding)}, alert {alert.id} about {alert.dedup_key}"
        )
    open_alert = None if alert is None or alert.state is AlertState.RESOLVED else alert
    if open_alert is not None and open_alert.last_finding_id == finding.id:
        return open_alert
    match finding.verdict:
        case Verdict.REGRESSION | Verdict.DRIFT:
            current = _opened(finding, now, new_id) if open_alert is None else _updated(open_alert, finding, now)
            return tick(current, policy, now)
        case Verdict.OK | Verdict.IMPROVEMENT:
            return None if open_alert is None else _resolved(open_alert, finding, now)
        case Verdict.INSUFFICIENT | Verdict.FAILED:
            return open_alert


def tick(alert: Alert, policy: AlertPolicy, now: datetime) -> Alert:
    """Return the alert at `now`. An alert that has been pending for `for_s` seconds fires. Others do not change."""
    if alert.state is not AlertState.PENDING or (now - alert.pending_since).total_seconds() < policy.for_s:
        return alert
    return replace(alert, state=AlertState.FIRING, fired_at=now, updated_at=now)


def _opened(finding: Finding, now: datetime, new_id: str) -> Alert:
    subject = finding.subject
    return Alert(
        id=new_id,
        dedup_key=dedup_key(finding),
        deployment=finding.deployment,
        set_name=subject.set_name if isinstance(subject, SetReplay) else None,
        series=subject.name if isinstance(subject, ProductionSeries) else None,
        source=subject.name if isinstance(subject, ReadSource) else None,
        state=AlertState.PENDING,
        severity=finding.severity,
        summary=finding.reason,
        finding_id=finding.id,
        last_finding_id=finding.id,
        pending_since=now,
        updated_at=now,
        from_version=finding.from_version,
        to_version=finding.to_version,
        baseline_run=finding.baseline_run,
    )


def _updated(alert: Alert, finding: Finding, now: datetime) -> Alert:
    """Return the alert after another bad finding. The version and the run that it compares with do not change."""
    return replace(
        alert,
        severity=worst(alert.severity, finding.severity),
        summary=finding.reason,
        last_finding_id=finding.id,
        to_version=finding.to_version or alert.to_version,
        updated_at=now,
    )


def _resolved(alert: Alert, finding: Finding, now: datetime) -> Alert:
    return replace(
        alert,
        state=AlertState.RESOLVED,
        last_finding_id=finding.id,
        resolved_at=now,
        updated_at=now,
        acceptance=finding.acceptance,
    )
