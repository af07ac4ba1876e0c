"""An alert on production traffic, as on-call reads it."""

from datetime import date
from typing import Any

from monitor.alerting.advance import advance
from monitor.alerting.message import payload
from monitor.alerting.render import text
from monitor.domain.alert import NotifyReason
from monitor.domain.finding import Finding, ProductionSeries, Verdict
from monitor.domain.production import ProductionEvidence, Series
from tests.alerting.build import POLICY, T0, Desk, at

RISE = ProductionEvidence(
    unit="share",
    days=58,
    missing=0,
    e=1.234e6,
    e_needed=47_000.0,
    onset=date(2026, 11, 14),
    before=0.0412,
    after=0.0833,
    effect=0.0421,
    interval=(0.031, 0.053),
    day_noise=0.0061,
)
SLOWER = ProductionEvidence(
    unit="ms",
    days=58,
    missing=0,
    e=5e5,
    e_needed=47_000.0,
    onset=date(2026, 11, 14),
    before=812.0,
    after=1020.0,
    effect=0.256,
    interval=(0.2, 0.31),
    day_noise=0.04,
)
DRIFT = ProductionEvidence(
    unit="distance",
    days=40,
    missing=0,
    e=9e4,
    e_needed=21_600.0,
    onset=date(2026, 11, 15),
    columns={"topic": 2e6, "input_language": 310.0},
    report="traffic-report-1",
)


def a_series_finding(
    series: Series = Series.CORRECTIONS, evidence: ProductionEvidence = RISE, **fields: Any
) -> Finding:
    base: dict[str, Any] = {
        "id": "f1",
        "deployment": "support",
        "at": T0,
        "signal": "production",
        "segment": "overall",
        "subject": ProductionSeries(series=series, day=date(2026, 11, 18)),
        "verdict": Verdict.REGRESSION,
        "severity": "warning",
        "reason": "it rose",
        "alpha": 0.01,
        "production": evidence,
    }
    return Finding(**base | fields)


def page(finding: Finding) -> list[str]:
    alert = advance(None, finding, POLICY, T0, "a1")
    assert alert is not None
    told = payload(alert, finding, reason=NotifyReason.FIRST, policy=POLICY, from_label=None, to_label=None)
    return text(told).splitlines()


def test_the_page_says_which_series_since_when_from_where_to_where_and_how_sure() -> None:
    assert page(a_series_finding()) == [
        "FIRING · warning · corrections +4.21 points · support",
        "support, production corrections",
        "Corrections 4.12 % → 8.33 %: +4.21 points, 95 % interval +3.10 to +5.30, since 2026-11-14.",
        "  since     2026-11-14, compared with the same weekdays before; last day 2026-11-18",
        "  evidence  58 days: e = 1.23e+06, threshold 4.7e+04",
        "  noise     days without a change differ by 0.61 points",
        "  verdict   regression: it rose",
        "  dashboard http://127.0.0.1:8501/?alert=a1",
        "  alert     a1, firing 2026-11-21 02:00 UTC",
    ]


def test_latency_is_told_in_milliseconds_and_percent() -> None:
    lines = page(a_series_finding(Series.LATENCY, SLOWER))
    assert lines[2] == "Latency 812 ms → 1020 ms: +26 %, 95 % interval +20 % to +31 %, since 2026-11-14."
    assert "  noise     days without a change differ by 4 %" in lines


def test_a_drift_of_traffic_names_what_moved_and_the_report() -> None:
    lines = page(a_series_finding(Series.TRAFFIC, DRIFT, verdict=Verdict.DRIFT, severity="info"))
    assert lines[0] == "FIRING · info · production traffic · support"
    assert "  moved     topic, input_language" in lines
    assert "  report    driftd report show traffic-report-1" in lines


def test_the_payload_has_the_series_in_place_of_a_set() -> None:
    finding = a_series_finding()
    alert = advance(None, finding, POLICY, T0, "a1")
    assert alert is not None
    told = payload(alert, finding, reason=NotifyReason.FIRST, policy=POLICY, from_label=None, to_label=None)
    assert (told["set"], told["comparison"], told["evidence"]) == (None, None, None)
    assert told["production"]["series"] == "corrections"
    assert (told["production"]["ci_low"], told["production"]["ci_high"]) == (0.031, 0.053)
    assert told["finding"]["candidate_run"] is None


def test_what_is_info_is_told_once_and_that_it_is_over() -> None:
    desk = Desk()
    drift = a_series_finding(Series.TRAFFIC, DRIFT, verdict=Verdict.DRIFT, severity="info")
    desk.apply(drift, at(0))
    desk.deliver(at(1))
    for hour in range(4, 24, 4):
        desk.tick(at(hour * 3600.0))
    over = a_series_finding(Series.TRAFFIC, DRIFT, id="f2", verdict=Verdict.OK, severity="info")
    desk.apply(over, at(24 * 3600.0))
    assert desk.told() == ["first", "resolved"]
