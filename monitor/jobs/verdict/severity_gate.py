"""The severity gate of a run: which samples it still needs, and its finding."""

from collections.abc import Mapping
from datetime import timedelta

from monitor.domain.alert import Alert
from monitor.domain.finding import SEVERITY_GATE, Finding, SetReplay, Verdict
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import CriticalCase, Run, RunState
from monitor.drift.judge.severity_gate import (
    RULE,
    baselines_before_version,
    gate_baseline,
    gate_reason,
    gate_verdict,
    judge_cases,
    missing_samples,
    watched_cases,
)
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts, baselines, findings
from monitor.store.runs import critical_cases, runs

STEP = timedelta(microseconds=1)


def samples_to_add(tx: Tx, run: Run, policy: DriftPolicy, forbidden: Mapping[str, str]) -> dict[str, int]:
    """Return how many more samples the gate needs of each case of a run that is not finished, by case id."""
    if not forbidden:
        return {}
    rows = critical_cases.of_run(tx, run.id, forbidden)
    if not any(row.samples < policy.gate_failures for row in rows):
        return {}
    alert = alerts.open_of_gate(tx, run.deployment, run.set_name)
    if alert is None and not any(row.violations for row in rows):
        return {}
    compared = _alert_baseline(tx, alert)
    if compared is not None:
        chosen = [compared]
    else:
        chosen = baselines_before_version(run, _history(tx, run), policy.min_scored_share)
    watched = watched_cases(None if alert is None else findings.get(tx, alert.last_finding_id))
    before = [_by_id(critical_cases.of_run(tx, each.id, forbidden)) for each in chosen]
    return missing_samples(rows, before, policy.gate_failures, watched)


def gate_finding(
    tx: Tx, run: Run, score: Finding, policy: DriftPolicy, forbidden: Mapping[str, str], *, finding_id: str
) -> Finding | None:
    """Return the finding of the severity gate on a judged run; None if there is nothing to report.

    `score` is the finding of the run about its scores. The newest finding of a run is what lists show. Therefore the
    time of a regression at the gate is after that of scores without one, and any other time is before it.
    """
    if run.state is RunState.FAILED or not forbidden:
        return None
    rows = critical_cases.of_run(tx, run.id, forbidden)
    alert = alerts.open_of_gate(tx, run.deployment, run.set_name)
    if alert is None and not any(row.violations for row in rows):
        return None
    baseline = _alert_baseline(tx, alert)
    if alert is None:
        baseline = gate_baseline(run, _history(tx, run), run.version, policy.min_scored_share)
    if baseline is None:
        return None
    watched = watched_cases(None if alert is None else findings.get(tx, alert.last_finding_id))
    before = _by_id(critical_cases.of_run(tx, baseline.id, forbidden))
    evidence = judge_cases(rows, before, policy.gate_failures, watched)
    verdict = gate_verdict(evidence, is_open=alert is not None)
    if verdict is None:
        return None
    failing = verdict is Verdict.REGRESSION
    return Finding(
        id=finding_id,
        deployment=run.deployment,
        at=score.at + STEP if failing and score.verdict is not Verdict.REGRESSION else score.at - STEP,
        signal=SEVERITY_GATE,
        segment="critical",
        subject=SetReplay(set_name=run.set_name, set_kind=run.set_kind, candidate_run=run.id),
        verdict=verdict,
        severity="critical" if failing else "info",
        reason=gate_reason(evidence, verdict, baseline),
        alpha=0.0,
        baseline_run=baseline.id,
        from_version=baseline.version,
        to_version=run.version or score.to_version,
        change_id=score.change_id,
        rule=RULE,
        severity_gate=evidence,
    )


def _alert_baseline(tx: Tx, alert: Alert | None) -> Run | None:
    """Return the run that the open alert compares with. Retention keeps it as long as the alert is open."""
    return None if alert is None or alert.baseline_run is None else runs.get(tx, alert.baseline_run)


def _history(tx: Tx, run: Run) -> list[Run]:
    """Return the complete runs of the set since its accepted baseline, oldest first."""
    accepted = baselines.current(tx, run.deployment, run.set_name)
    history = runs.of_set(tx, run.deployment, run.set_name)
    if accepted is None:
        return history
    return [one for one in history if one.finished_at is not None and one.finished_at >= accepted.counts_from]


def _by_id(rows: list[CriticalCase]) -> dict[str, CriticalCase]:
    return {row.case_id: row for row in rows}
