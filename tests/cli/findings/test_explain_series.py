"""`driftd drift explain` for production traffic, and its name in lists."""

from typing import Any

from monitor.cli.findings.explain import explain_finding
from monitor.cli.terminal.output import about
from tests.cli.items import alert, finding

RISE: dict[str, Any] = {
    "unit": "share",
    "days": 58,
    "missing": 0,
    "e": 1.2e6,
    "e_needed": 47_000.0,
    "onset": "2026-11-14",
    "before": 0.04,
    "after": 0.08,
    "effect": 0.04,
    "interval": (0.03, 0.05),
    "day_noise": 0.006,
    "columns": {},
    "report": None,
}
NO_REPLAY: dict[str, Any] = {
    "set_name": None,
    "set_kind": None,
    "candidate_run": None,
    "baseline_run": None,
    "comparison": None,
    "day": "2026-11-18",
    "verdict": "regression",
}


def steps(series: str, **evidence: Any) -> dict[str, str]:
    told = explain_finding(finding(series=series, production=RISE | evidence, **NO_REPLAY))
    return {step.step: step.explanation for step in told.steps}


def test_every_step_is_explained() -> None:
    told = steps("corrections")
    assert list(told) == [
        "judged", "counted", "days", "test", "evidence", "onset", "change", "noise", "verdict",
    ]  # fmt: skip
    assert told["judged"] == "production corrections of support, up to 2026-11-18."
    assert "within the late days" in told["counted"]
    assert told["change"] == "+4.00 points, 95 % interval +3.00 to +5.00, same weekdays before."
    assert told["evidence"].startswith("e = 1.2e+06, 4.7e+04 needed")


def test_a_level_is_reported_in_percent_and_by_ranks() -> None:
    told = steps("latency", unit="ms", before=812.0, after=1020.0, effect=0.256, interval=(0.2, 0.31))
    assert told["change"] == "+25.60 %, 95 % interval +20.00 to +31.00, same weekdays before."
    assert told["test"].startswith("the median of each day is ranked")


def test_missing_days_are_reported_while_learning() -> None:
    nothing = dict.fromkeys(("e", "onset", "before", "after", "effect", "interval", "day_noise"))
    told = steps("refusals", days=10, missing=19, **nothing)
    assert told["days"] == "10 days; 19 more are needed."
    assert "change" not in told


def test_a_drift_of_traffic_names_its_columns_and_its_report() -> None:
    told = steps(
        "traffic", unit="distance", effect=None, columns={"topic": 9e4, "status": None}, report="traffic-report-1"
    )
    assert told["columns"] == "evidence by column, the strongest first: topic 9e+04, status -."
    assert told["report"] == "driftd report show traffic-report-1."


def test_lists_name_the_series_where_there_is_no_set() -> None:
    assert about(finding(series="latency", production=RISE, **NO_REPLAY)) == "production latency"
    assert about(finding()) == "primes"
    assert about(alert(set_name=None, series="traffic")) == "production traffic"
