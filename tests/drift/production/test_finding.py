"""What is written of production traffic: news alone, in the reader's units, as loud as it is grave."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from monitor.domain.finding import Finding, ProductionSeries, Verdict
from monitor.domain.production import Series
from monitor.domain.traffic_report import TrafficReport, TrafficReportKind, TrafficReportState
from monitor.drift.production.change import SeriesChange
from monitor.drift.production.finding import is_news, series_finding, traffic_finding
from monitor.drift.production.verdict import SeriesVerdict
from tests.drift.production_days import POLICY

NOW = datetime(2026, 6, 1, 1, 5, tzinfo=UTC)
WITH_TRAFFIC = replace(POLICY, series=tuple(Series))
RISE = SeriesChange(before=0.01, after=0.04, effect=0.03, low=0.02, high=0.04, day_noise=0.004)


def judged(verdict: Verdict, **fields: Any) -> SeriesVerdict:
    base: dict[str, Any] = {"verdict": verdict, "days": 60, "missing": 0, "log_e": 12.0, "log_threshold": 10.7}
    return SeriesVerdict(**base | fields)


def found(said: SeriesVerdict, series: Series = Series.AVAILABILITY) -> Finding:
    subject = ProductionSeries(series=series, day=date(2026, 5, 31))
    return series_finding(said, subject, POLICY, deployment="support", finding_id="f", now=NOW)


def test_availability_is_displayed_as_the_share_of_successes() -> None:
    finding = found(judged(Verdict.REGRESSION, onset=date(2026, 5, 28), change=RISE))
    assert finding.reason == (
        "the share of calls that are answered fell from 99.0 % to 96.0 % since 2026-05-28: -3.0 points, "
        "95 % interval -4.0 to -2.0"
    )
    assert finding.production is not None
    assert (finding.production.before, finding.production.after) == (0.99, 0.96)
    assert (finding.severity, finding.alpha) == ("warning", POLICY.alpha / 5)


def test_latency_is_shown_in_milliseconds_with_a_relative_change() -> None:
    change = SeriesChange(before=6.7, after=7.0, effect=0.3, low=0.2, high=0.4, day_noise=0.04)
    finding = found(judged(Verdict.REGRESSION, onset=date(2026, 5, 28), change=change), Series.LATENCY)
    assert "the median latency rose from 812 ms to 1097 ms since 2026-05-28: +35 %, 95 % interval" in finding.reason


@pytest.mark.parametrize(
    ("series", "effect", "severity"),
    [
        (Series.AVAILABILITY, 0.12, "critical"),
        (Series.AVAILABILITY, 0.09, "warning"),
        (Series.LATENCY, 0.7, "critical"),
        (Series.LATENCY, 0.6, "warning"),
    ],
)
def test_ten_points_or_a_doubling_are_critical(series: Series, effect: float, severity: str) -> None:
    change = replace(RISE, effect=effect)
    assert found(judged(Verdict.REGRESSION, onset=date(2026, 5, 28), change=change), series).severity == severity


def test_a_regression_is_news_every_night_and_the_rest_when_it_is_another_verdict() -> None:
    worse = found(judged(Verdict.REGRESSION, onset=date(2026, 5, 28), change=RISE))
    fine = found(judged(Verdict.OK))
    assert is_news(worse, worse)
    assert is_news(fine, worse)
    assert is_news(fine, None)
    assert not is_news(fine, fine)


def test_missing_days_are_reported() -> None:
    learning = judged(Verdict.INSUFFICIENT, days=10, missing=19)
    assert found(learning).reason.startswith("10 days with data; 19 more are needed")
    gone = judged(Verdict.INSUFFICIENT, expired_onset=date(2026, 3, 1))
    assert "the days before 2026-03-01" in found(gone).reason
    short = replace(POLICY, history_days=20)
    subject = ProductionSeries(series=Series.COST, day=date(2026, 5, 31))
    reported = series_finding(learning, subject, short, deployment="support", finding_id="f", now=NOW)
    assert reported.reason.startswith("retention keeps 20 full days")


def traffic_report(verdict: str, **evidence: Any) -> TrafficReport:
    reported = {
        "verdict": verdict,
        "windows": 40,
        "missing": 0,
        "log_e": 11.0,
        "log_threshold": 10.0,
        "columns": {"topic": 14.0, "input_chars": None},
        "onset": NOW.isoformat() if verdict == "drift" else None,
    }
    return TrafficReport(
        id="traffic-report-1",
        deployment="support",
        kind=TrafficReportKind.TRAFFIC,
        at=NOW,
        reference_since=NOW - timedelta(days=29),
        since=NOW - timedelta(days=1),
        until=NOW,
        state=TrafficReportState.MADE,
        reason="",
        evidence=reported | evidence,
    )


def traffic(verdict: str, previous: Finding | None = None) -> Finding:
    reported = traffic_finding(traffic_report(verdict), previous, WITH_TRAFFIC, finding_id="f", now=NOW)
    assert reported is not None
    return reported


def test_a_drift_of_traffic_is_info_and_no_regression() -> None:
    drift = traffic("drift")
    assert (drift.verdict, drift.severity) == (Verdict.DRIFT, "info")
    assert drift.reason.startswith("traffic has drifted since 2026-06-01, most of all topic")
    assert "no regression" in drift.reason
    assert drift.production is not None
    assert drift.production.report == "traffic-report-1"


def test_the_night_after_a_drift_what_is_new_is_usual_which_ends_its_alert() -> None:
    after = traffic("insufficient", traffic("drift"))
    assert (after.verdict, after.reason.split(";")[0]) == (Verdict.OK, "the new traffic is the new baseline")
    assert traffic("insufficient").verdict is Verdict.INSUFFICIENT
    assert not is_news(traffic("insufficient", after), after)


def test_a_traffic_report_without_a_verdict_raises_no_alert() -> None:
    nothing = replace(traffic_report("ok"), evidence={})
    assert traffic_finding(nothing, None, WITH_TRAFFIC, finding_id="f", now=NOW) is None
