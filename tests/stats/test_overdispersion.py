import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.overdispersion import day_gain, equalise

scores = st.lists(st.floats(-8, 8) | st.just(float("nan")), min_size=1, max_size=30)


def test_the_gain_is_what_a_day_effect_adds_to_the_variance_of_the_difference_of_two_rates() -> None:
    rng = np.random.default_rng(3)
    m, past, correlation, rate = 300, np.array([100, 500]), 0.02, 0.1
    weight = 1 / correlation - 1

    def draw(trials: int) -> np.ndarray:
        return rng.binomial(trials, rng.beta(rate * weight, (1 - rate) * weight, size=40000))

    difference = draw(m) / m - (draw(100) + draw(500)) / 600
    measured = difference.var() / (rate * (1 - rate) * (1 / m + 1 / 600))
    gain = day_gain(np.array([*past, m]), np.zeros(3, dtype=np.int64))[2]
    assert 1 + correlation * gain == pytest.approx(measured, rel=0.03)


def test_nights_without_trials_and_first_nights_have_no_gain() -> None:
    gain = day_gain(np.array([50, 0, 60, 50]), np.array([0, 0, 1, 0]))
    assert np.isnan(gain).tolist() == [True, True, True, False]


@given(scores)
def test_nights_of_one_gain_are_left_as_they_are(z: list[float]) -> None:
    np.testing.assert_allclose(equalise(np.array(z), np.full(len(z), 40.0)), z, rtol=1e-12)


@given(scores, st.integers(0, 29))
def test_later_nights_decide_nothing_about_earlier_ones(z: list[float], cut: int) -> None:
    gain = np.arange(1.0, len(z) + 1)
    whole = equalise(np.array(z), gain)
    np.testing.assert_array_equal(whole[:cut], equalise(np.array(z[:cut]), gain[:cut]))


def test_busy_and_quiet_days_end_with_one_spread() -> None:
    rng = np.random.default_rng(4)
    gain = np.tile([10.0, 400.0], 2000)
    z = equalise(rng.normal(size=4000) * np.sqrt(1 + 0.1 * gain), gain)
    assert z[200::2].std() == pytest.approx(z[201::2].std(), rel=0.1)
