import pytest

from monitor.drift.compare import compare_pairs
from monitor.drift.pairing import pair_cases
from monitor.drift.severity import grade_regression

from .builders import results


def grade(before, after):
    pairs = pair_cases(before, after)
    return grade_regression(compare_pairs(pairs, streaks={}, aa_discordance=None, alpha=0.05), pairs)


def ordinary(failing, n=200):
    return results([0.0] * failing + [1.0] * (n - failing))


@pytest.mark.parametrize(("failing", "severity"), [(20, "critical"), (19, "warning")])
def test_ten_points_overall_are_critical(failing, severity):
    assert grade(ordinary(0), ordinary(failing)) == severity


@pytest.mark.parametrize("name", ["high", "critical"])
@pytest.mark.parametrize(("failing", "severity"), [(6, "critical"), (5, "warning")])
def test_six_grave_cases_that_fell_together_are_critical_and_five_may_be_chance(name, failing, severity):
    before = ordinary(0) + results([1.0] * 20, prefix="grave", severity=name)
    after = ordinary(4) + results([0.0] * failing + [1.0] * (20 - failing), prefix="grave", severity=name)
    assert grade(before, after) == severity


def test_grave_cases_that_got_better_do_not_make_it_critical():
    before = ordinary(0) + results([0.0] * 10, prefix="grave", severity="critical")
    after = ordinary(15) + results([1.0] * 10, prefix="grave", severity="critical")
    assert grade(before, after) == "warning"


def test_medium_and_low_cases_are_not_grave():
    before = ordinary(0) + results([1.0] * 8, prefix="mild", severity="low")
    after = ordinary(0) + results([0.0] * 8, prefix="mild", severity="low")
    assert grade(before, after) == "warning"
