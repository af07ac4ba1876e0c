from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.change_point.e_process import SIZES, anytime_e
from monitor.stats.change_point.shiryaev_roberts import Floats

scores = st.one_of(st.floats(-4.0, 4.0), st.just(np.nan))
paths = arrays(np.float64, st.integers(2, 10), elements=scores)


def slow_e(u: Floats, onset: int, night: int) -> float:
    ratios = []
    for size in SIZES:
        total = 0.0
        for s in range(onset, night + 1):
            mean = size * onset / sqrt(s * (s + 1.0))
            total += 0.0 if np.isnan(u[s]) else mean * u[s] - mean**2 / 2.0
        ratios.append(exp(total))
    return sum(ratios) / len(ratios)


@given(paths, st.integers(1, 9))
def test_it_agrees_with_the_products_written_out(u: Floats, onset: int) -> None:
    expected = [slow_e(u, onset, night) for night in range(u.size)]
    np.testing.assert_allclose(np.exp(anytime_e(u, onset)), expected, rtol=1e-9)


@given(paths, st.integers(1, 9), st.integers(1, 10))
def test_cutting_later_nights_changes_nothing(u: Floats, onset: int, cut: int) -> None:
    np.testing.assert_allclose(anytime_e(u[:cut], onset), anytime_e(u, onset)[:cut], atol=1e-12)


@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_without_a_change_it_ever_reaches_one_over_alpha_with_at_most_alpha(alpha: float) -> None:
    runs = 3000
    paths = np.random.default_rng(4).normal(size=(runs, 90))
    reached = np.mean([anytime_e(path, 14).max() >= log(1.0 / alpha) for path in paths])
    assert 0.0 < reached <= alpha + 3.0 * sqrt(alpha / runs)


def test_its_expectation_is_one_on_every_night() -> None:
    paths = np.random.default_rng(5).normal(size=(4000, 20))
    e = np.exp([anytime_e(path, 14, sizes=(0.25, 0.5)) for path in paths])
    assert np.all(np.abs(e.mean(axis=0) - 1.0) <= 4.0 * e.std(axis=0) / sqrt(4000) + 1e-12)


def test_a_rise_is_found_and_a_drop_is_not() -> None:
    u = np.random.default_rng(6).normal(size=40)
    u[20:] += 1.5
    assert anytime_e(u, 20)[-1] > log(1000.0)
    assert anytime_e(-u, 20)[-1] < log(20.0)


def test_before_the_change_there_is_no_evidence() -> None:
    u = np.full(10, 3.0)
    assert (anytime_e(u, 6)[:6] == 0.0).all()
    assert anytime_e(u, 6)[6] > 0.0
    assert (anytime_e(u, 10) == 0.0).all()


def test_a_change_without_a_night_before_it_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one night must precede the change, got 0"):
        anytime_e(np.zeros(3), 0)
