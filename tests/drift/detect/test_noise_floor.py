import numpy as np
import pytest

from monitor.drift.detect.noise_floor import noise_evidence, noise_floor_of, planning_noise, samples_per_case
from monitor.stats.night_tally import NightTally


def tally(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> NightTally:
    return NightTally.of_values(values)


def drawn(nights: int, cases: int, repeats: int) -> NightTally:
    rng = np.random.default_rng(2)
    return tally((rng.random((nights, cases, repeats)) < 0.7).astype(np.float64))


def test_repeats_give_the_variance_within_a_case() -> None:
    floor = noise_floor_of(drawn(6, 200, 3))
    assert floor is not None
    assert floor.within_variance == pytest.approx(0.21, abs=0.02)
    noise = planning_noise(floor, 3.0)
    assert noise is not None
    assert noise.within_variance == floor.within_variance


def test_without_repeats_the_nights_of_a_case_give_it() -> None:
    floor = noise_floor_of(drawn(12, 200, 1))
    assert floor is not None
    assert floor.within_variance is None
    noise = planning_noise(floor, 1.0)
    assert noise is not None
    assert noise.within_variance == pytest.approx(0.21, abs=0.02)


def test_graded_scores_have_a_noise_floor() -> None:
    values = np.random.default_rng(3).choice([0.0, 0.5, 1.0], size=(8, 100, 1))
    floor = noise_floor_of(tally(values))
    assert floor is not None
    assert floor.cell_variance == pytest.approx(1.0 / 6.0, abs=0.02)


def test_what_is_missing_is_left_out() -> None:
    values = np.random.default_rng(4).integers(0, 2, size=(5, 50, 2)).astype(np.float64)
    values[1, :10] = np.nan
    values[2, 3, 1] = np.nan
    whole = tally(values)
    floor = noise_floor_of(whole)
    assert floor is not None
    assert floor.nights == 5
    assert samples_per_case(whole) == pytest.approx(479 / 240)


def test_no_score_gives_no_noise_floor() -> None:
    assert noise_floor_of(tally(np.full((2, 3, 1), np.nan))) is None
    assert noise_evidence(tally(np.full((2, 3, 1), np.nan))) is None
