import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.conformal_z import Scores, conformal_scores
from monitor.stats.studentise import MIN_EARLIER, Floats, normal_score_of_t
from monitor.stats.studentise import studentise as studentise_scores

from .tallies import everyone, passing_nights

scores = st.floats(-5.0, 5.0).filter(lambda z: abs(z) > 1e-3)
series = arrays(np.float64, st.tuples(st.integers(1, 7), st.integers(1, 3)), elements=scores)


def studentise(z: Floats) -> Floats:
    return studentise_scores(Scores.of(z))


@given(series, st.floats(0.01, 100.0))
def test_the_scale_does_not_matter(z: Floats, scale: float) -> None:
    np.testing.assert_allclose(studentise(scale * z), studentise(z), rtol=1e-6)


@given(series)
def test_the_sign_is_that_of_the_score(z: Floats) -> None:
    u = studentise(z)
    known = ~np.isnan(u)
    assert np.array_equal(np.sign(u[known]), np.sign(z[known]))
    assert np.array_equal(known, np.tile(np.arange(len(z))[:, None] >= MIN_EARLIER, (1, z.shape[1])))


@given(series, st.integers(0, 11))
def test_a_night_without_a_score_is_skipped(z: Floats, at: int) -> None:
    at = min(at, len(z))
    gap = np.full((1, z.shape[1]), np.nan)
    u = studentise(np.concatenate([z[:at], gap, z[at:]]))
    assert np.isnan(u[at]).all()
    np.testing.assert_allclose(np.delete(u, at, axis=0), studentise(z), rtol=1e-12)


@given(series, st.integers(0, 12))
def test_later_nights_change_nothing(z: Floats, cut: int) -> None:
    np.testing.assert_allclose(studentise(z[:cut]), studentise(z)[:cut], rtol=1e-12)


def test_a_channel_that_was_exactly_as_expected_so_far_has_no_scale() -> None:
    assert np.isnan(studentise(np.array([[0.0], [0.0], [3.0]]))).all()


def test_nights_with_an_unknown_spread_become_standard_normal_and_independent() -> None:
    from scipy.stats import kstest

    rng = np.random.default_rng(0)
    u = studentise(1.8 * rng.normal(size=(30, 400)))[2:]
    assert kstest(u.ravel(), "norm").pvalue > 0.001
    assert abs(np.corrcoef(u[:-1].ravel(), u[1:].ravel())[0, 1]) < 4.0 / np.sqrt(u.size)


def test_a_common_night_effect_no_longer_makes_the_scores_wide() -> None:
    rng = np.random.default_rng(3)
    wide, held = [], []
    for _ in range(40):
        rates = rng.uniform(0.3, 0.7, 300)
        nights = [passing_nights(rng, np.clip(rates + 0.05 * rng.normal(), 0.0, 1.0), 1) for _ in range(30)]
        first = np.concatenate([night.first for night in nights])
        tally = type(nights[0]).of_passes(first, np.ones_like(first))
        z = conformal_scores(tally, everyone(300)).z
        wide.append(z[5:])
        held.append(studentise(z)[5:])
    assert np.std(wide) > 1.5
    assert np.std(held) == pytest.approx(1.0, abs=0.08)


@given(st.floats(-30.0, 30.0), st.integers(2, 200))
def test_the_normal_score_is_nearer_to_zero_than_t(t: float, degrees: int) -> None:
    score = float(normal_score_of_t(np.array([t]), np.array([float(degrees)]))[0])
    assert abs(score) <= abs(t) + 1e-6
    assert score * t >= 0.0


def test_the_normal_score_stays_finite_beyond_all_tails() -> None:
    assert np.isfinite(normal_score_of_t(np.array([1e9, -1e9]), np.array([500.0, 500.0]))).all()


def test_nights_that_lean_to_one_side_raise_fewer_alarms_than_a_t_distribution_would() -> None:
    """A mood that can only make things worse: half-normal nights, five times as wide as sampling."""
    rng = np.random.default_rng(3)
    nights = rng.normal(size=(400, 60)) - 5.0 * (np.abs(rng.normal(size=(400, 60))) - np.sqrt(2.0 / np.pi))
    u = studentise(nights)[100:]
    assert (u < -3.0).mean() < 2.0 * 0.00135
    assert (u > 3.0).mean() <= 0.00135


def test_a_change_does_not_excuse_its_own_first_week() -> None:
    rng = np.random.default_rng(4)
    steady, fallen = rng.normal(size=(60, 1)), rng.normal(size=(60, 1))
    steady[:53], fallen[:53] = 0.9 * np.sign(steady[:53]), 0.9 * np.sign(steady[:53])
    fallen[53:59] = -4.0
    fallen[59], steady[59] = -4.0, -4.0
    in_full = np.sqrt((fallen[:59] ** 2).mean())
    score = float(normal_score_of_t(np.array([-4.0 / in_full]), np.array([59.0]))[0])
    assert studentise(fallen)[59, 0] < score - 0.2  # nor does it count in full


def test_a_fall_does_not_become_the_yardstick_of_the_nights_after_it() -> None:
    rng = np.random.default_rng(5)
    z = rng.normal(size=(30, 1))
    z[24:] = -20.0
    assert (studentise(z)[24:] < -6.0).all()


def test_earlier_nights_give_the_variation_of_nights() -> None:
    rng = np.random.default_rng(6)
    earlier, own = (Scores.of(rng.normal(size=(nights, 2))) for nights in (20, 5))
    u = studentise_scores(own, earlier)
    assert u.shape == (5, 2)
    np.testing.assert_allclose(u, studentise(np.concatenate([earlier.z, own.z]))[20:])
