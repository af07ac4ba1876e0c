"""Builds the finding of a production series that is stored, alerted on and shown."""

import math
from collections.abc import Mapping
from datetime import date, datetime
from typing import Any

from monitor.domain.finding import Finding, ProductionSeries, Verdict
from monitor.domain.production import ProductionEvidence, ProductionPolicy, Series, Unit
from monitor.domain.traffic_report import TrafficReport
from monitor.drift.detect.channels import e_from_log
from monitor.drift.production.change import SeriesChange
from monitor.drift.production.verdict import SeriesVerdict, alpha_shares
from monitor.drift.production.wording import reason_of, traffic_reason

SIGNAL = "production"
CRITICAL_POINTS = 0.10  # of a share
CRITICAL_GROWTH = 1.0  # a level that doubled
_UNITS: Mapping[Series, Unit] = {Series.LATENCY: "ms", Series.COST: "usd", Series.TRAFFIC: "distance"}


def is_news(finding: Finding, previous: Finding | None) -> bool:
    """Return whether the finding is written: a regression every night, anything else when the verdict changes."""
    return finding.verdict is Verdict.REGRESSION or previous is None or finding.verdict is not previous.verdict


def series_finding(
    series_verdict: SeriesVerdict,
    subject: ProductionSeries,
    policy: ProductionPolicy,
    *,
    deployment: str,
    finding_id: str,
    now: datetime,
) -> Finding:
    """Return the finding on a series of days."""
    evidence = production_evidence(series_verdict, subject.series)
    return Finding(
        id=finding_id,
        deployment=deployment,
        at=now,
        signal=SIGNAL,
        segment="overall",
        subject=subject,
        verdict=series_verdict.verdict,
        severity=_severity(series_verdict.verdict, evidence),
        reason=reason_of(series_verdict, evidence, subject.series, policy),
        alpha=alpha_shares(policy)[subject.series],
        production=evidence,
    )


def traffic_finding(
    report: TrafficReport, previous: Finding | None, policy: ProductionPolicy, *, finding_id: str, now: datetime
) -> Finding | None:
    """Return the finding on the distances of a traffic report; None without a verdict. A drift is `info`, not a
    regression.

    After a drift the new traffic is the baseline. The windows that build it are `ok`, which resolves the alert.
    """
    drift: Mapping[str, Any] = report.evidence
    if not drift:
        return None
    verdict = {"drift": Verdict.DRIFT, "ok": Verdict.OK}.get(drift["verdict"], Verdict.INSUFFICIENT)
    restarted = (
        verdict is Verdict.INSUFFICIENT and previous is not None and previous.verdict is not Verdict.INSUFFICIENT
    )
    onset = drift["onset"]
    evidence = ProductionEvidence(
        unit="distance",
        days=drift["windows"],
        missing=drift["missing"],
        e=None if drift["log_e"] is None else e_from_log(drift["log_e"]),
        e_needed=e_from_log(drift["log_threshold"]),
        onset=None if onset is None else datetime.fromisoformat(onset).date(),
        columns={name: None if log_e is None else e_from_log(log_e) for name, log_e in drift["columns"].items()},
        report=report.id,
    )
    return Finding(
        id=finding_id,
        deployment=report.deployment,
        at=now,
        signal=SIGNAL,
        segment="overall",
        subject=ProductionSeries(series=Series.TRAFFIC, day=report.since.date()),
        verdict=Verdict.OK if restarted else verdict,
        severity="info",
        reason=traffic_reason(evidence, verdict, restarted=restarted),
        alpha=alpha_shares(policy)[Series.TRAFFIC],
        production=evidence,
    )


def production_evidence(series_verdict: SeriesVerdict, series: Series) -> ProductionEvidence:
    """Return the evidence in the units of the reader: shares and medians, and availability as the share that works."""
    unit = _UNITS.get(series, "share")
    change = None if series_verdict.change is None else _display_change(series_verdict.change, series)
    return ProductionEvidence(
        unit=unit,
        days=series_verdict.days,
        missing=series_verdict.missing,
        e=None if math.isinf(series_verdict.log_e) else e_from_log(series_verdict.log_e),
        e_needed=e_from_log(series_verdict.log_threshold),
        onset=series_verdict.onset,
        before=None if change is None else change.before,
        after=None if change is None else change.after,
        effect=None if change is None else change.effect,
        interval=None if change is None else (change.low, change.high),
        day_noise=None if change is None else change.day_noise,
    )


def display_value(value: float, series: Series) -> float:
    """Return a point in the units of the reader."""
    if series in {Series.LATENCY, Series.COST}:
        return math.exp(value)
    return 1.0 - value if series is Series.AVAILABILITY else value


def open_onset(opening: Finding | None) -> date | None:
    """Return the onset of the finding that opened the alert."""
    return opening.production.onset if opening is not None and opening.production is not None else None


def _display_change(change: SeriesChange, series: Series) -> SeriesChange:
    if series is Series.AVAILABILITY:
        return SeriesChange(
            before=display_value(change.before, series),
            after=display_value(change.after, series),
            effect=-change.effect,
            low=-change.high,
            high=-change.low,
            day_noise=change.day_noise,
        )
    if series not in {Series.LATENCY, Series.COST}:
        return change
    return SeriesChange(
        before=display_value(change.before, series),
        after=display_value(change.after, series),
        effect=math.expm1(change.effect),
        low=math.expm1(change.low),
        high=math.expm1(change.high),
        day_noise=math.expm1(change.day_noise),
    )


def _severity(verdict: Verdict, evidence: ProductionEvidence) -> str:
    """Return `critical` from ten points or a doubling on; `warning` for a smaller regression, else `info`."""
    if verdict is not Verdict.REGRESSION:
        return "info"
    grave = CRITICAL_POINTS if evidence.unit == "share" else CRITICAL_GROWTH
    return "critical" if abs(evidence.effect or 0.0) >= grave else "warning"
