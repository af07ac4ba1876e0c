"""What GPT-4's step from March to June 2023 did to 1,000 questions, from the recorded answers themselves."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.finding import Comparison
from monitor.domain.run import CaseResult
from monitor.drift.judge.baseline import Baseline, BaselineReason
from monitor.drift.judge.compare import compare_runs
from tests.drift.builders import case, find, run

DATA = Path(__file__).parents[3] / "examples" / "llmdrift" / "primes.jsonl.gz"
MARCH, JUNE = "gpt-4-0314", "gpt-4-0613"


@cache
def scored(snapshot: str) -> list[CaseResult]:
    """Right when the first [Yes] or [No] is the reference; no marker is wrong."""
    with gzip.open(DATA, "rt", encoding="utf-8") as lines:
        return [_result(json.loads(line), snapshot) for line in lines]


def _result(record: dict[str, Any], snapshot: str) -> CaseResult:
    marker = re.search(r"\[(yes|no)\]", record["answers"][snapshot][0]["text"], re.IGNORECASE)
    right = marker is not None and marker[1].lower() == record["reference"]
    return case(record["id"], float(right), record["category"])


def march_to_june() -> Comparison:
    comparison = compare_runs(scored(MARCH), scored(JUNE), streaks={}, aa_discordance=None, alpha=0.05)
    assert comparison is not None
    return comparison


def test_the_overall_drop_is_the_published_one() -> None:
    comparison = march_to_june()
    assert (comparison.n, comparison.baseline, comparison.candidate) == (1000, 0.840, 0.502)
    assert (comparison.flipped_to_fail, comparison.flipped_to_pass) == (477, 139)
    assert comparison.effect == pytest.approx(-0.338)
    assert (round(comparison.interval.low, 3), round(comparison.interval.high, 3)) == (-0.381, -0.293)
    assert comparison.p_value == pytest.approx(2.81e-44, rel=1e-2)


def test_the_categories_show_what_the_average_hides() -> None:
    comparison = march_to_june()
    shown = [(row.category, row.n, row.baseline, row.candidate, row.moved) for row in comparison.categories]
    assert shown == [("composite", 500, 0.704, 0.980, True), ("prime", 500, 0.976, 0.024, True)]


def test_the_finding_is_a_critical_regression_that_names_both_categories() -> None:
    baseline = Baseline(run=run(0, MARCH), why=BaselineReason.BEFORE_CHANGE)
    finding = find(run(1, JUNE, cases=1000), scored(JUNE), baseline, scored(MARCH))
    assert (finding.verdict, finding.severity) == ("regression", "critical")
    assert finding.reason == (
        "pass rate fell from 84.0 % to 50.2 % (-33.8 points, 95 % interval -38.1 to -29.3) on 1000 paired cases; "
        "477 cases flipped to fail, 139 to pass; "
        "prime fell from 97.6 % to 2.4 %, composite rose from 70.4 % to 98.0 %"
    )


def test_with_few_primes_the_overall_rate_rises_and_the_primes_still_raise_the_alarm() -> None:
    def mostly_composite(snapshot: str) -> list[CaseResult]:
        rows = scored(snapshot)
        return [row for row in rows if row.category == "composite"] + [row for row in rows if row.category == "prime"][
            :80
        ]

    baseline = Baseline(run=run(0, MARCH), why=BaselineReason.BEFORE_CHANGE)
    finding = find(run(1, JUNE, cases=580), mostly_composite(JUNE), baseline, mostly_composite(MARCH))
    assert finding.comparison is not None
    assert finding.comparison.effect > 0
    assert finding.verdict == "regression"
    assert finding.reason.startswith("prime fell from")
