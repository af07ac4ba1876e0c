from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.finding import Finding
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import CaseResult, RunState
from monitor.drift.judge.baseline import Baseline, BaselineReason
from monitor.drift.judge.verdict import choose_alpha, judge
from tests.drift.builders import POLICY, change, find, results, run

BEFORE = Baseline(run=run(0), why=BaselineReason.BEFORE_CHANGE)


def judged(
    before: Sequence[CaseResult],
    after: Sequence[CaseResult],
    policy: DriftPolicy = POLICY,
    version: str = "B",
    **fields: Any,
) -> Finding:
    return find(run(1, version, cases=len(after)), after, BEFORE, before, policy=policy, **fields)


def rows(passing: int, n: int = 100, **fields: Any) -> list[CaseResult]:
    return results([1.0] * passing + [0.0] * (n - passing), **fields)


def test_a_clear_drop_is_a_regression_with_its_numbers() -> None:
    finding = judged(rows(90), rows(60))
    assert (finding.verdict, finding.severity) == ("regression", "critical")
    assert finding.reason.startswith("pass rate fell from 90.0 % to 60.0 % (-30.0 points, 95 % interval")
    assert "on 100 paired cases; 30 cases flipped to fail, 0 to pass" in finding.reason


def test_a_clear_rise_is_an_improvement() -> None:
    finding = judged(rows(60), rows(90))
    assert (finding.verdict, finding.severity) == ("improvement", "info")


def test_nothing_flipped_is_ok() -> None:
    finding = judged(rows(90), rows(90))
    assert (finding.verdict, finding.severity) == ("ok", "info")
    assert finding.reason.endswith("within the noise of this set; can detect a change of 9.3 points")


def test_a_category_that_collapses_under_an_overall_that_rises_is_a_regression_that_names_it() -> None:
    before = rows(100, 100, category="primes", prefix="p") + rows(20, 200, category="composites", prefix="q")
    after = rows(40, 100, category="primes", prefix="p") + rows(190, 200, category="composites", prefix="q")
    finding = judged(before, after)
    assert finding.comparison is not None
    assert finding.comparison.effect > 0
    assert finding.verdict == "regression"
    assert finding.reason.startswith(
        "primes fell from 100.0 % to 40.0 %, composites rose from 10.0 % to 95.0 %; overall pass rate rose"
    )


def test_a_category_alone_can_improve() -> None:
    before = rows(50, 50, category="same", prefix="s") + rows(0, 12, category="up", prefix="u")
    after = rows(50, 50, category="same", prefix="s") + rows(12, 12, category="up", prefix="u")
    assert judged(before, after).verdict == "improvement"


def test_a_significant_drop_below_the_minimum_effect_is_ok_with_a_reason() -> None:
    policy = replace(POLICY, min_effect=0.2)
    before = [*rows(50, 50, category="a", prefix="a"), *rows(50, 50, category="b", prefix="b")]
    after = [*rows(46, 50, category="a", prefix="a"), *rows(46, 50, category="b", prefix="b")]
    finding = judged(before, after, policy)
    assert finding.verdict == "ok"
    assert finding.reason.endswith("a drop below 20.0 % is allowed by min_effect")
    assert judged(before, after).verdict == "regression"


def test_the_same_drop_is_a_regression_after_a_change_and_ok_on_a_silent_night() -> None:
    before, after = rows(100), rows(92)
    assert judged(before, after).verdict == "regression"
    silent = judged(before, after, version="A")
    assert silent.verdict == "ok"
    assert silent.alpha == pytest.approx(0.05 / 180)


def test_alpha_is_that_of_a_change_when_version_or_change_differ() -> None:
    def alpha(**fields: Any) -> float:
        change_ = fields.pop("change", None)
        return choose_alpha(run(1, **fields), BEFORE, change_, POLICY)

    silent = POLICY.alpha_silent / POLICY.horizon_nights
    assert alpha() == silent
    assert alpha(version=None) == silent
    assert alpha(version="B") == POLICY.alpha_change
    assert alpha(change_id="change-1") == POLICY.alpha_change
    assert alpha(change=change(1, "A", "A")) == POLICY.alpha_change
    assert choose_alpha(run(1), None, None, POLICY) == silent


def test_too_few_pairs_are_insufficient_and_say_how_many_are_missing() -> None:
    finding = judged(rows(12, 12), rows(0, 12))
    assert (finding.verdict, finding.severity) == ("insufficient", "info")
    assert finding.reason == "only 12 cases can be paired with the baseline, 30 are needed: 18 are missing"


def test_exactly_enough_pairs_are_enough() -> None:
    assert judged(rows(30, 30), rows(0, 30)).verdict == "regression"


def test_an_outage_is_insufficient_never_a_regression() -> None:
    after = results([0.0] * 60 + [None] * 40)
    finding = judged(rows(100), after)
    assert (finding.verdict, finding.severity) == ("insufficient", "info")
    assert finding.reason == (
        "only 60 of 100 cases (60.0 %) have a verdict in this run, 90.0 % are needed: 30 are missing"
    )
    assert finding.comparison is not None
    assert finding.comparison.n == 60


def test_the_scored_share_at_the_limit_is_enough() -> None:
    assert judged(rows(100), results([1.0] * 90 + [None] * 10)).verdict == "ok"
    assert judged(rows(100), results([1.0] * 89 + [None] * 11)).verdict == "insufficient"


def test_a_run_without_any_case_is_insufficient() -> None:
    finding = judged(rows(100), [])
    assert finding.reason == "only 0 of 0 cases (none) have a verdict in this run, 90.0 % are needed: 0 are missing"


def test_a_failed_run_has_a_reason_and_is_not_compared() -> None:
    failed = run(1, "B", state=RunState.FAILED, error="target 'gpt': every call timed out")
    finding = find(failed, rows(0), BEFORE, rows(100))
    assert (finding.verdict, finding.severity) == ("failed", "warning")
    assert finding.reason == "the run failed: target 'gpt': every call timed out"
    assert finding.comparison is None
    assert find(replace(failed, error=None), [], BEFORE, []).reason == "the run failed: no error recorded"


def test_judging_pairs_without_a_comparison_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="but no comparison"):
        judge(
            candidate=run(1, cases=0),
            results=rows(100),
            baseline=BEFORE,
            pairs=(),
            comparison=None,
            alpha=0.05,
            policy=replace(POLICY, min_cases=0),
        )


@given(st.integers(30, 120), st.integers(0, 120), st.integers(0, 120), st.integers(1, 40))
def test_more_failing_cases_never_turn_a_regression_into_anything_better(
    n: int, passing: int, now: int, more: int
) -> None:
    passing, now = min(passing, n), min(now, n)
    worse = max(0, min(now, passing) - more)
    if judged(rows(passing, n), rows(min(now, passing), n)).verdict == "regression":
        assert judged(rows(passing, n), rows(worse, n)).verdict == "regression"


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=30, max_size=80))
def test_swapping_the_runs_never_leaves_a_regression_on_both_sides_without_categories(
    flips: list[tuple[bool, bool]],
) -> None:
    before = results([float(was) for was, _ in flips])
    after = results([float(now) for _, now in flips])
    there, back = judged(before, after).verdict, judged(after, before).verdict
    mirror = {"regression": "improvement", "improvement": "regression", "ok": "ok"}
    assert back == mirror[there]


def test_a_run_that_its_budget_cut_off_is_judged_by_its_own_cases() -> None:
    asked = rows(30, 50)
    unasked = results([None] * 50, prefix="later")
    finding = find(
        run(1, "B", cases=100, cases_attempted=50, stopped_by="requests"), asked + unasked, BEFORE, rows(45, 50)
    )
    assert finding.verdict == "regression"
    outage = find(run(1, "B", cases=100), asked + unasked, BEFORE, rows(45, 50))
    assert outage.verdict == "insufficient"
