import pytest

from monitor.domain.run import CaseResult
from monitor.drift.judge.compare import compare_pairs
from monitor.drift.judge.paired_judgement import grade_regression
from monitor.drift.judge.pairing import pair_cases
from tests.drift.builders import results


def grade(before: list[CaseResult], after: list[CaseResult]) -> str:
    pairs = pair_cases(before, after)
    comparison = compare_pairs(pairs, streaks={}, aa_discordance=None, alpha=0.05)
    assert comparison is not None
    return grade_regression(comparison, pairs)


def ordinary(failing: int, n: int = 200) -> list[CaseResult]:
    return results([0.0] * failing + [1.0] * (n - failing))


@pytest.mark.parametrize(("failing", "severity"), [(20, "critical"), (19, "warning")])
def test_ten_points_overall_are_critical(failing: int, severity: str) -> None:
    assert grade(ordinary(0), ordinary(failing)) == severity


@pytest.mark.parametrize("name", ["high", "critical"])
@pytest.mark.parametrize(("failing", "severity"), [(6, "critical"), (5, "warning")])
def test_six_grave_cases_that_fell_together_are_critical_and_five_may_be_chance(
    name: str, failing: int, severity: str
) -> None:
    before = ordinary(0) + results([1.0] * 20, prefix="grave", severity=name)
    after = ordinary(4) + results([0.0] * failing + [1.0] * (20 - failing), prefix="grave", severity=name)
    assert grade(before, after) == severity


def test_grave_cases_that_got_better_do_not_make_it_critical() -> None:
    before = ordinary(0) + results([0.0] * 10, prefix="grave", severity="critical")
    after = ordinary(15) + results([1.0] * 10, prefix="grave", severity="critical")
    assert grade(before, after) == "warning"


def test_medium_and_low_cases_are_not_grave() -> None:
    before = ordinary(0) + results([1.0] * 8, prefix="mild", severity="low")
    after = ordinary(0) + results([0.0] * 8, prefix="mild", severity="low")
    assert grade(before, after) == "warning"
