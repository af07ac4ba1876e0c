"""The payload of an alert: the same JSON object for every receiver."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from monitor.alerting.message_numbers import comparison_part, decided_part
from monitor.alerting.version_diff import Difference
from monitor.domain.alert import Alert, NotifyReason
from monitor.domain.baseline import Acceptance
from monitor.domain.deciding_test import DecidingTest
from monitor.domain.evidence import Cause, Evidence, PinnedRunEvidence
from monitor.domain.finding import Finding, GateEvidence, ProductionSeries, ReadSource, SetReplay
from monitor.domain.policy import AlertPolicy
from monitor.domain.version import Change
from replay.run.budget import Spent

SCHEMA = 2  # 1 had several places for one quantity; monitor/alerting/older_payload.py converts it
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
    diff: Sequence[Difference] = (),
    cost: Spent | None = None,
    measures: str | None = None,
) -> dict[str, Any]:
    """Return the body of a notification.

    `finding` is the newest of the alert, `change` is the change that the finding names, `recent` has the oldest night
    first, and `cause` is the cause of the finding that opened the alert. `diff` has the differences between the two
    versions, and `cost` is what the replay has spent. `measures` is what the pass rate of the set means, from the
    configuration.

    Each quantity has one place. Effect, interval, number of cases, p-value or e-value, threshold and detectable effect
    are in `decided`, or in `production` for production traffic. `comparison` has the flips of the two runs, and
    `evidence` the nights and their noise. Rates are fractions. `effect` is after minus before, with its 95 % interval.
    Cases appear by id: the payload has no text of a case, of a reply or of a prompt. An alert is about a `set`, about
    `production` traffic or about a `source` of records; the other two are None. `severity_gate` has the cases of an
    alert of the severity gate, which no statistic decided. `metric` is the watched metric of the set that the alert is
    about; None for its deciding verdict.
    """
    return {
        "schema": SCHEMA,
        "reason": str(reason),
        "alert": _alert(alert),
        "deployment": alert.deployment,
        "set": _set(finding.subject, measures),
        "metric": alert.metric,
        "from_version": _version(alert.from_version, from_label),
        "to_version": _version(alert.to_version, to_label),
        "change": None if change is None else _change(change),
        "diff": [asdict(each) | {"lines": list(each.lines)} for each in diff],
        "finding": _finding(finding),
        "decided": decided_part(finding.decided, finding.comparison),
        "comparison": None if finding.comparison is None else comparison_part(finding.comparison),
        "evidence": None if finding.evidence is None else _evidence(finding.evidence, finding.decided),
        "production": _production(finding),
        "severity_gate": None if finding.severity_gate is None else _severity_gate(finding.severity_gate),
        "source": finding.subject.name if isinstance(finding.subject, ReadSource) else None,
        "cause": None if cause is None else _cause(cause, alert.finding_id),
        "recent": [
            {"run_id": run.run_id, "finished_at": _iso(run.finished_at), "pass_rate": run.pass_rate} for run in recent
        ],
        "cost": None if cost is None else {"calls": cost.requests, "tokens": cost.tokens, "usd": cost.usd},
        "dashboard_url": _link(policy.dashboard_url, alert.id),
    }


def _alert(alert: Alert) -> dict[str, Any]:
    return {
        "id": alert.id,
        "rule": alert.rule,
        "state": str(alert.state),
        "severity": alert.severity,
        "summary": alert.summary,
        "pending_since": _iso(alert.pending_since),
        "fired_at": _iso(alert.fired_at),
        "resolved_at": _iso(alert.resolved_at),
        "acknowledged_by": alert.acknowledged_by,
        "acknowledged_at": _iso(alert.acknowledged_at),
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
        "baseline_run": finding.baseline_run,
        "candidate_run": finding.subject.candidate_run if isinstance(finding.subject, SetReplay) else None,
    }


def _set(subject: SetReplay | ProductionSeries | ReadSource, measures: str | None) -> dict[str, str | None] | None:
    """Return the set, or None for production traffic and for a source."""
    if not isinstance(subject, SetReplay):
        return None
    return {"name": subject.set_name, "kind": str(subject.set_kind), "measures": measures}


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
        "detector": evidence.detector,
        "report": evidence.report,
    }


def _severity_gate(gate: GateEvidence) -> dict[str, Any]:
    cases = [asdict(case) | {"state": str(case.state)} for case in gate.cases]
    return {"failures_needed": gate.failures_needed, "cases": cases}


def _pinned_run(pinned_run: PinnedRunEvidence) -> dict[str, Any]:
    return {
        "run_id": pinned_run.run_id,
        "status": pinned_run.status,
        "delta": pinned_run.delta,
        "interval": None if pinned_run.interval is None else list(pinned_run.interval),
    }


def _evidence(evidence: Evidence, decided: DecidingTest | None) -> dict[str, Any]:
    """Return the nights and their noise. The numbers of the pinned run are in `decided` when its test decided."""
    noise, pinned_run = evidence.noise, evidence.pinned_run
    if decided is not None and decided.test == "pinned_run":
        pinned_run = None
    flips = None if noise is None else noise.flip_interval
    return {
        "phase": evidence.phase,
        "onset_run": evidence.onset_run,
        "onset_at": _iso(evidence.onset_at),
        "nights": evidence.nights,
        "cases": evidence.case_overlap.cases,
        "carried_over": evidence.case_overlap.carried_over,
        "pinned_run": None if pinned_run is None else _pinned_run(pinned_run),
        "flip_rate": noise.flip_rate if noise is not None else None,
        "flip_interval": None if flips is None else list(flips),
        "night_variance": noise.night_variance if noise is not None else None,
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
        "tried": [{"step": each.step, "result": each.result} for each in cause.tried],
        "calls": cause.calls,
        "usd": cause.usd,
    }


def _link(dashboard_url: str | None, alert_id: str) -> str | None:
    return None if dashboard_url is None else f"{dashboard_url.rstrip('/')}/?alert={alert_id}"


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
