"""Changes of the correction rate, with noise between days."""

import numpy as np
import pytest

from monitor.domain.feedback import CorrectionDay
from monitor.feedback.correction_rate import correction_change


def days(count: int, rate: float, seed: int, *, calls: int = 400, mood: float = 0.0) -> list[CorrectionDay]:
    """Return days; `mood` is the standard deviation of the daily rate, as a share of it."""
    rng = np.random.default_rng(seed)
    rates = np.clip(rate * (1.0 + mood * rng.standard_normal(count)), 0.0, 1.0)
    return [CorrectionDay(interactions=calls, corrections=int(rng.binomial(calls, each))) for each in rates]


@pytest.mark.parametrize(
    ("after", "fell"), [(0.01, True), (0.05, False), (0.09, False)], ids=["fell", "stayed", "rose"]
)
def test_a_rate_that_clearly_fell_or_did_not_is_detected(after: float, fell: bool) -> None:
    found = correction_change(days(28, 0.05, 1, calls=4000), days(7, after, 2, calls=4000))
    assert found is not None
    assert found.fell is fell
    assert found.low < found.after - found.before < found.high


def test_few_corrections_leave_it_open() -> None:
    found = correction_change(days(28, 0.02, 1, calls=50), days(7, 0.015, 2, calls=50))
    assert found is not None
    assert found.fell is None


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (days(3, 0.05, 1), days(7, 0.05, 2)),
        (days(28, 0.05, 1), days(3, 0.05, 2)),
        (days(28, 0.0, 1), days(7, 0.0, 2)),
        ([CorrectionDay(interactions=0, corrections=2)] * 28, days(7, 0.05, 2)),
    ],
    ids=["few days before", "few days since", "nobody corrects", "no traffic"],
)
def test_without_days_or_corrections_nothing_can_be_said(
    before: list[CorrectionDay], after: list[CorrectionDay]
) -> None:
    assert correction_change(before, after) is None


@pytest.mark.parametrize("mood", [0.0, 0.4])
def test_when_nothing_changed_a_fall_is_seldom_claimed(mood: float) -> None:
    told = [
        correction_change(days(28, 0.05, 2 * seed, mood=mood), days(7, 0.05, 2 * seed + 1, mood=mood))
        for seed in range(400)
    ]
    assert sum(found is not None and found.fell is True for found in told) / len(told) < 0.05
