"""Whether the judge moved: the level of its test, its interval and its edges."""

import numpy as np
import pytest

from monitor.stats.judge_shift import JudgeShift, judge_shift, p_judge_alone


def shifted(fell: int, rose: int, n: int, flips: int = 0, calibrated: int = 0) -> JudgeShift:
    stored = np.r_[np.ones(n // 2), np.zeros(n - n // 2)]
    repeats = stored.copy()
    repeats[:fell], repeats[n - rose :] = 0.0, 1.0
    found = judge_shift(stored, repeats, flips, calibrated)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("noise", "n", "calibrated"), [(0.02, 300, 600), (0.05, 300, 100), (0.3, 900, 600), (0.02, 300, 0)]
)
def test_an_unchanged_judge_is_called_stricter_at_most_at_the_level(noise: float, n: int, calibrated: int) -> None:
    rng = np.random.default_rng(1)
    runs, called = 2000, 0
    for _ in range(runs):
        flips = int(rng.binomial(n, noise))
        fell = int(rng.binomial(flips, 0.5))
        called += (
            shifted(fell, flips - fell, 2 * n, int(rng.binomial(calibrated, noise / 2.0)), calibrated).p_stricter < 0.01
        )
    assert called / runs <= 0.01 + 4.0 * (0.01 * 0.99 / runs) ** 0.5


def test_flips_beyond_calibration_count_even_when_half_of_them_rise() -> None:
    assert shifted(20, 20, 600, flips=6, calibrated=600).p_stricter < 0.005
    assert shifted(20, 20, 600, flips=40, calibrated=600).p_stricter > 0.3


def test_without_calibration_the_net_shift_alone_speaks() -> None:
    assert shifted(5, 0, 300).p_stricter == pytest.approx(0.5**5 / 2.0)
    assert shifted(20, 20, 600).p_stricter == pytest.approx(0.5)


def test_stricter_and_kinder_are_symmetric() -> None:
    down, up = shifted(12, 3, 300, 5, 400), shifted(3, 12, 300, 5, 400)
    assert (down.delta, down.p_stricter) == (-up.delta, up.p_kinder)
    assert down.ci.low == pytest.approx(-up.ci.high)


def test_the_fewer_verdicts_fell_the_less_the_judge_explains_alone() -> None:
    drops, weights = np.array([0.03, 0.05]), np.array([0.5, 0.5])
    chances = [p_judge_alone(shifted(fell, 0, 600, 6, 600), drops, weights) for fell in range(0, 40, 5)]
    assert chances == sorted(chances)
    assert chances[0] < 1e-6
    assert chances[-1] > 0.8


def test_a_graded_judge_that_takes_the_whole_drop_may_be_alone() -> None:
    rng = np.random.default_rng(2)
    stored = rng.uniform(0.2, 1.0, 600)
    alone = judge_shift(stored, stored - 0.04, 0, 0)
    still = judge_shift(stored, stored, 0, 0)
    assert alone is not None
    assert still is not None
    drop = np.array([0.04]), np.array([1.0])
    assert p_judge_alone(alone, *drop) > 0.3 > 0.001 > p_judge_alone(still, *drop)


def test_pairs_with_a_missing_verdict_are_left_out() -> None:
    found = judge_shift(np.array([1.0, np.nan, 1.0]), np.array([1.0, 1.0, np.nan]), 0, 10)
    assert found is not None
    assert found.n == 1
    assert judge_shift(np.array([np.nan]), np.array([1.0]), 0, 10) is None


@pytest.mark.parametrize(
    ("stored", "repeats", "flips", "calibrated", "says"),
    [
        (np.ones(3), np.ones(2), 0, 0, "judged again once"),
        (np.ones(3), np.full(3, 1.5), 0, 0, "rejudged has a verdict outside 0 to 1"),
        (np.ones(3), np.ones(3), 4, 3, "4 flips among 3"),
    ],
)
def test_what_cannot_be_is_refused(
    stored: np.ndarray, repeats: np.ndarray, flips: int, calibrated: int, says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        judge_shift(stored, repeats, flips, calibrated)
