from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.two_versions.group_sequential import LOOKS, boundaries, last_look


def brownian_scores(looks: tuple[int, ...], runs: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    steps = np.sqrt(np.diff((0, *looks)))
    w = np.cumsum(np.random.default_rng(7).normal(size=(runs, len(looks))) * steps, axis=1)
    scores: np.ndarray[tuple[int, int], np.dtype[np.float64]] = w / np.sqrt(looks)
    return scores


@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.0025])
@pytest.mark.parametrize("looks", [LOOKS, (1, 2), (4, 5, 60)])
def test_a_brownian_motion_reaches_them_with_probability_alpha(alpha: float, looks: tuple[int, ...]) -> None:
    runs = 150_000
    crossed = (brownian_scores(looks, runs) >= boundaries(alpha, looks)).any(axis=1).mean()
    assert abs(crossed - alpha) < 4.0 * np.sqrt(alpha / runs) + 1e-4


def test_the_first_look_spends_its_share() -> None:
    from scipy.special import ndtr

    assert ndtr(-boundaries(0.05, first_share=0.25)[0]) == pytest.approx(0.0125)


# Constants of Pocock (1977), table 1: two-sided 5 %. Their other side is reached together with this one too seldom to
# show, so half of it is the one-sided 2.5 %; with the share that the first look has there, all looks are alike.
@pytest.mark.parametrize(("looks", "constant"), [(2, 2.178), (3, 2.289), (4, 2.361), (5, 2.413), (10, 2.555)])
def test_equally_spaced_looks_have_pococks_constants(looks: int, constant: float) -> None:
    from scipy.special import ndtr

    found = boundaries(0.025, tuple(range(1, looks + 1)), first_share=float(ndtr(-constant)) / 0.025)
    assert found == pytest.approx([constant] * looks, abs=0.004)


@pytest.mark.parametrize(("alpha", "score"), [(0.05, 1.6449), (0.5, 0.0), (0.001, 3.0902)])
def test_a_single_look_is_the_normal_quantile(alpha: float, score: float) -> None:
    assert boundaries(alpha, (5,)) == pytest.approx((score,), abs=1e-4)


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-4, 0.4), st.floats(1.1, 20.0))
def test_a_smaller_alpha_asks_for_more(alpha: float, times: float) -> None:
    assert all(strict > loose for strict, loose in zip(boundaries(alpha / times), boundaries(alpha), strict=True))


@settings(max_examples=25, deadline=None)
@given(st.floats(1e-4, 0.4))
def test_no_look_is_cheaper_than_looking_once(alpha: float) -> None:
    (once,) = boundaries(alpha, (1,))
    assert min(boundaries(alpha)) >= once - 1e-4


def test_more_looks_ask_for_more_at_each() -> None:
    later = [boundaries(0.05, LOOKS[:looks])[1] for looks in range(2, len(LOOKS) + 1)]
    assert all(a < b for a, b in pairwise(later))


@pytest.mark.parametrize("alpha", [0.0, -0.1, 0.51, float("nan")])
def test_an_alpha_off_its_scale_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha must be above 0 and at most 0\.5"):
        boundaries(alpha)


@pytest.mark.parametrize("looks", [(), (0, 1), (2, 2), (3, 1), (-1,)])
def test_looks_that_are_no_increasing_nights_are_refused(looks: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="increasing counts of nights from 1"):
        boundaries(0.05, looks)


@given(st.integers(-3, 100))
def test_the_last_look_is_the_latest_that_the_nights_allow(nights: int) -> None:
    allowed = [look for look in LOOKS if look <= nights]
    assert last_look(nights) == (allowed[-1] if allowed else None)
