"""The payload of an alert: the same JSON object for every receiver."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from monitor.alerting.message_numbers import comparison_part, decided_part
from monitor.domain.alert import Alert, NotifyReason
from monitor.domain.baseline import Acceptance
from monitor.domain.deciding_test import DecidingTest
from monitor.domain.evidence import Cause, Evidence, PinnedRunEvidence
from monitor.domain.finding import Finding, ProductionSeries, ReadSource, SetReplay
from monitor.domain.policy import AlertPolicy
from monitor.domain.version import Change

SCHEMA = 1
LEAST_SHARE = 0.05  # least probability of a cause that the payload lists


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentRun:
    """An earlier night of the same set. It shows the reader what is normal."""

    run_id: str
    finished_at: datetime
    pass_rate: float


def payload(
    alert: Alert,
    finding: Finding,
    *,
    reason: NotifyReason,
    policy: AlertPolicy,
    from_label: str | None,
    to_label: str | None,
    change: Change | None = None,
    recent: Sequence[RecentRun] = (),
    cause: Cause | None = None,
) -> dict[str, Any]:
    """Return the body of a notification.

    `finding` is the newest of the alert, `change` is the change that the finding names, `recent` has the oldest night
    first, and `cause` is the cause of the finding that opened the alert.

    Rates are fractions. `effect` is after minus before, with its 95 % interval. Cases appear by id: the payload has no
    text of a case or of a reply. An alert is about a `set`, about `production` traffic or about a `source` of records;
    the other two are None.
    """
    return {
        "schema": SCHEMA,
        "reason": str(reason),
        "alert": _alert(alert),
        "deployment": alert.deployment,
        "set": _set(finding.subject),
        "from_version": _version(alert.from_version, from_label),
        "to_version": _version(alert.to_version, to_label),
        "change": None if change is None else _change(change),
        "finding": _finding(finding),
        "decided": None if finding.decided is None else decided_part(finding.decided),
        "comparison": None if finding.comparison is None else comparison_part(finding.comparison, finding.decided),
        "evidence": None if finding.evidence is None else _evidence(finding.evidence, finding.decided),
        "production": _production(finding),
        "source": finding.subject.name if isinstance(finding.subject, ReadSource) else None,
        "cause": None if cause is None else _cause(cause, alert.finding_id),
        "recent": [
            {"run_id": run.run_id, "finished_at": _iso(run.finished_at), "pass_rate": run.pass_rate} for run in recent
        ],
        "dashboard_url": _link(policy.dashboard_url, alert.id),
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.id,
        "state": str(alert.state),
        "severity": alert.severity,
        "summary": alert.summary,
        "pending_since": _iso(alert.pending_since),
        "fired_at": _iso(alert.fired_at),
        "resolved_at": _iso(alert.resolved_at),
        "acceptance": None if alert.acceptance is None else _acceptance(alert.acceptance),
    }


def _acceptance(acceptance: Acceptance) -> dict[str, Any]:
    return {"by": acceptance.by, "reason": acceptance.reason, "at": _iso(acceptance.at)}


def _version(id: str | None, label: str | None) -> dict[str, str] | None:  # noqa: A002  the field's name
    return None if id is None else {"id": id, "label": label or id}


def _change(change: Change) -> dict[str, Any]:
    return {
        "id": change.id,
        "kind": str(change.kind),
        "how": str(change.how),
        "at": _iso(change.at),
        "noted_at": _iso(change.noted_at),
        "from_version": change.from_version,
        "to_version": change.to_version,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "at": _iso(finding.at),
        "verdict": str(finding.verdict),
        "reason": finding.reason,
        "signal": finding.signal,
        "segment": finding.segment,
        "alpha": finding.alpha,
        "baseline_run": finding.baseline_run,
        "candidate_run": finding.subject.candidate_run if isinstance(finding.subject, SetReplay) else None,
    }


def _set(subject: SetReplay | ProductionSeries | ReadSource) -> dict[str, str] | None:
    """Return the set, or None for production traffic and for a source."""
    return {"name": subject.set_name, "kind": str(subject.set_kind)} if isinstance(subject, SetReplay) else None


def _production(finding: Finding) -> dict[str, Any] | None:
    subject, evidence = finding.subject, finding.production
    if not isinstance(subject, ProductionSeries) or evidence is None:
        return None
    low, high = evidence.interval or (None, None)
    return {
        "series": str(subject.series),
        "day": subject.day.isoformat(),
        "unit": evidence.unit,
        "days": evidence.days,
        "onset": None if evidence.onset is None else evidence.onset.isoformat(),
        "before": evidence.before,
        "after": evidence.after,
        "effect": evidence.effect,
        "ci_low": low,
        "ci_high": high,
        "e": evidence.e,
        "e_needed": evidence.e_needed,
        "day_noise": evidence.day_noise,
        "columns": dict(evidence.columns),
        "report": evidence.report,
    }


def _pinned_run(pinned_run: PinnedRunEvidence) -> dict[str, Any]:
    return {
        "run_id": pinned_run.run_id,
        "status": pinned_run.status,
        "delta": pinned_run.delta,
        "interval": pinned_run.interval,
        "interval_new_cases": pinned_run.interval_new_cases,
        "channel": pinned_run.channel,
        "p": pinned_run.p,
        "p_needed": pinned_run.p_needed,
    }


def _evidence(evidence: Evidence, decided: DecidingTest | None) -> dict[str, Any]:
    noise = evidence.noise
    return {
        "phase": evidence.phase,
        "kind": evidence.kind,
        "channel": evidence.channel,
        "onset_run": evidence.onset_run,
        "onset_at": _iso(evidence.onset_at),
        "delta": evidence.delta,
        "nights": evidence.nights,
        "e": evidence.e,
        "e_needed": evidence.e_needed,
        "p": evidence.p,
        "p_needed": evidence.p_needed,
        "cases": evidence.case_overlap.cases,
        "carried_over": evidence.case_overlap.carried_over,
        "pinned_run": None if evidence.pinned_run is None else _pinned_run(evidence.pinned_run),
        "flip_rate": noise.flip_rate if noise is not None else None,
        "flip_interval": noise.flip_interval if noise is not None else None,
        "night_variance": noise.night_variance if noise is not None else None,
        "detectable": [asdict(each) for each in decided.detectable] if decided is not None else [],
    }


def _cause(cause: Cause, finding_id: str) -> dict[str, Any]:
    return {
        "finding_id": finding_id,
        "named": None if cause.named is None else list(cause.named),
        "probability": cause.probability,
        "confirmed": cause.confirmed,
        "statement": cause.statement,
        "why": cause.why,
        "differences": list(cause.differences),
        "likeliest": [
            {"suspect": row.suspect, "probability": row.probability}
            for row in cause.causes
            if row.probability is None or row.probability >= LEAST_SHARE
        ],
        "calls": cause.calls,
        "usd": cause.usd,
    }


def _link(dashboard_url: str | None, alert_id: str) -> str | None:
    return None if dashboard_url is None else f"{dashboard_url.rstrip('/')}/?alert={alert_id}"


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
