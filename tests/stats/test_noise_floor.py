import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.noise_floor import noise_floor

shapes = st.tuples(st.integers(1, 5), st.integers(1, 6), st.integers(1, 3))
passes = arrays(np.float64, shapes, elements=st.sampled_from([0.0, 1.0, np.nan]))


def _nights(rng: np.random.Generator, nights: int, n: int, k: int, night_sd: float) -> tuple[np.ndarray, float]:
    """Passes [nights, n, k] with a common night effect, and the mean of p (1 - p) over what p was."""
    rates = 0.2 + 0.6 * rng.beta(3, 3, size=n)
    tonight = rates[None, :] + rng.normal(scale=night_sd, size=(nights, 1)) if night_sd else np.tile(rates, (nights, 1))
    return (rng.random((nights, n, k)) < tonight[:, :, None]).astype(float), float(np.mean(tonight * (1 - tonight)))


def test_balanced_data_give_the_textbook_analysis_of_variance() -> None:
    values, _ = _nights(np.random.default_rng(1), 6, 40, 2, 0.1)
    mean = values.mean(axis=2)
    rest = mean - mean.mean(axis=0) - mean.mean(axis=1)[:, None] + mean.mean()
    cell = (rest**2).sum() / (5 * 39)
    floor = noise_floor(values)
    assert floor.within_variance == pytest.approx(values.var(axis=2, ddof=1).mean())
    assert floor.cell_variance == pytest.approx(cell)
    assert floor.night_variance == pytest.approx(mean.mean(axis=1).var(ddof=1) - cell / 40)


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_both_variances_are_recovered_and_their_intervals_cover(missing: float) -> None:
    nights, within, truth, covered = [], [], [], []
    for run in range(200):
        rng = np.random.default_rng([run, 1])
        values, sampling = _nights(rng, 12, 60, 2, 0.08)
        values[rng.random(values.shape) < missing] = np.nan
        floor = noise_floor(values)
        assert floor.within_interval is not None
        assert floor.night_interval is not None
        nights.append(floor.night_variance)
        within.append(floor.within_variance)
        truth.append(sampling)
        covered.append(
            (
                floor.night_interval[0] <= 0.08**2 <= floor.night_interval[1],
                floor.within_interval[0] <= sampling <= floor.within_interval[1],
            )
        )
    assert np.mean(np.array(nights, dtype=float)) == pytest.approx(0.08**2, rel=0.1)
    assert np.mean(np.array(within, dtype=float)) == pytest.approx(np.mean(truth), rel=0.04)
    assert (np.mean(covered, axis=0) >= 0.91).all()


def test_nights_without_an_effect_of_their_own_have_an_interval_that_reaches_zero() -> None:
    zero = 0
    for run in range(100):
        floor = noise_floor(_nights(np.random.default_rng([run, 2]), 10, 50, 1, 0.0)[0])
        assert floor.night_interval is not None
        zero += floor.night_interval[0] == 0.0
    assert zero >= 93


def test_a_share_of_the_cases_repeated_is_enough_for_the_sampling_variance() -> None:
    values, truth = _nights(np.random.default_rng(3), 10, 400, 2, 0.02)
    values[:, 80:, 1] = np.nan
    floor = noise_floor(values)
    assert floor.repeated_cells == 800
    assert floor.within_variance == pytest.approx(truth, abs=0.02)


def test_without_repeats_sampling_is_unknown_and_night_variance_is_known() -> None:
    floor = noise_floor(_nights(np.random.default_rng(4), 10, 100, 1, 0.05)[0])
    assert (floor.within_variance, floor.within_interval, floor.repeated_cells) == (None, None, 0)
    assert floor.cell_variance == pytest.approx(0.22, abs=0.03)
    assert floor.night_sd == pytest.approx(0.05, abs=0.03)


def test_one_night_gives_no_night_variance() -> None:
    floor = noise_floor(_nights(np.random.default_rng(5), 1, 30, 3, 0.05)[0])
    assert floor.within_variance is not None
    assert (floor.cell_variance, floor.night_variance, floor.night_interval, floor.night_sd) == (None, None, None, None)


def test_an_outage_of_half_the_cases_is_no_night_effect() -> None:
    easy, hard = np.ones((8, 20, 1)), np.zeros((8, 20, 1))
    values = np.concatenate([easy, hard], axis=1)
    values[3, :20] = np.nan
    assert noise_floor(values).night_variance == 0.0


@given(passes)
def test_variances_are_never_negative_nor_nan(values: np.ndarray) -> None:
    floor = noise_floor(values)
    for variance in (floor.within_variance, floor.cell_variance, floor.night_variance):
        assert variance is None or 0.0 <= variance <= 1.0
    if floor.night_interval is not None:
        assert floor.night_variance is not None
        assert floor.night_interval[0] <= floor.night_variance + 1e-9
        assert floor.night_variance <= floor.night_interval[1] + 1e-9


@given(passes)
def test_the_order_of_nights_and_cases_does_not_matter(values: np.ndarray) -> None:
    turned = noise_floor(values[::-1, ::-1, ::-1])
    floor = noise_floor(values)
    assert (turned.within_variance or 0.0) == pytest.approx(floor.within_variance or 0.0, abs=1e-9)
    assert (turned.night_variance or 0.0) == pytest.approx(floor.night_variance or 0.0, abs=1e-9)


def test_wrong_arrays_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"\[nights, cases, repeats\], got \(3, 4\)"):
        noise_floor(np.zeros((3, 4)))
    with pytest.raises(ValueError, match="scores must be between 0 and 1"):
        noise_floor(np.full((2, 2, 1), 5.0))
