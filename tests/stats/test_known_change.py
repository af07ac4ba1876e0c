import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.night_tally import Floats, NightTally
from monitor.stats.two_versions.known_change import NightSpread, known_change_z, night_spread, shrunk_spread

from .tallies import everyone, outcomes, pass_rates, passing_nights


def null_scores(runs: int, before: int, after: int, *, night_effect: float = 0.0) -> Floats:
    rng = np.random.default_rng(before * 100 + after)
    scores = []
    for _ in range(runs):
        rates = rng.uniform(0.2, 0.9, 60) if night_effect else pass_rates(rng, 60)
        nights = [
            outcomes(rng, np.clip(rates + night_effect * rng.normal(), 0.0, 1.0), 1) for _ in range(before + after)
        ]
        values = np.concatenate(nights)
        z = known_change_z(NightTally.of_values(values[:before]), NightTally.of_values(values[before:]), everyone(60))
        scores.append(float(z[0]))
    return np.array(scores)


@pytest.mark.parametrize(("before", "after"), [(14, 1), (14, 7), (5, 5)])
def test_without_a_change_the_score_is_standard_normal(before: int, after: int) -> None:
    from scipy.stats import kstest

    assert kstest(null_scores(300, before, after), "norm").pvalue > 0.001


def test_nights_that_differ_by_more_than_sampling_are_no_change() -> None:
    assert (null_scores(300, 20, 1, night_effect=0.08) < -1.96).mean() < 0.025 + 4.0 * np.sqrt(0.025 / 300)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([8, 80]))
def test_read_backwards_a_change_has_the_other_sign(seed: int, cases: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = (passing_nights(rng, pass_rates(rng, cases), 4) for _ in range(2))
    forwards = known_change_z(one, other, everyone(cases))
    backwards = known_change_z(other, one, everyone(cases))
    # The last night after the change says nothing about the spread of nights, so that the sizes differ somewhat.
    np.testing.assert_allclose(backwards, -forwards, rtol=0.5, atol=1.0)
    assert abs(forwards[0]) < 1.0 or np.sign(backwards[0]) == -np.sign(forwards[0])


def test_a_drop_is_negative_in_its_own_channel_only() -> None:
    rng = np.random.default_rng(1)
    rates = np.full(80, 0.8)
    then = passing_nights(rng, rates, 14)
    now = passing_nights(rng, np.where(np.arange(80) < 40, 0.4, 0.8), 3)
    halves = np.stack([np.arange(80) < 40, np.arange(80) >= 40], axis=1).astype(float)
    z = known_change_z(then, now, halves)
    assert z[0] < -4.0
    assert abs(z[1]) < 3.0


def test_few_nights_before_are_enough_for_a_clear_drop() -> None:
    rng = np.random.default_rng(5)
    rates = np.full(100, 0.8)
    z = [
        float(known_change_z(passing_nights(rng, rates, 3), passing_nights(rng, rates - 0.3, 1), everyone(100))[0])
        for _ in range(40)
    ]
    assert np.mean(z) < -3.5  # two scores of the nights alone would allow no more than about -2


def test_a_case_with_samples_on_one_side_only_has_no_effect() -> None:
    rng = np.random.default_rng(2)
    then, now = outcomes(rng, np.full(20, 0.7), 6), outcomes(rng, np.full(20, 0.7), 2)
    alone = known_change_z(NightTally.of_values(then), NightTally.of_values(now), everyone(20))
    gone, new = np.full((2, 5, 1), np.nan), np.full((6, 5, 1), np.nan)
    wide_then = np.concatenate([then, np.ones((6, 5, 1)), new], axis=1)
    wide_now = np.concatenate([now, gone, np.zeros((2, 5, 1))], axis=1)
    wide = known_change_z(NightTally.of_values(wide_then), NightTally.of_values(wide_now), everyone(30))
    np.testing.assert_allclose(wide, alone, atol=1e-9)


def test_without_a_case_on_both_sides_there_is_no_score() -> None:
    then = NightTally.of_values(np.array([[[1.0], [np.nan]]] * 3))
    now = NightTally.of_values(np.array([[[np.nan], [0.0]]]))
    assert np.isnan(known_change_z(then, now, everyone(2))).all()


def test_the_spread_of_nights_that_differ_by_sampling_alone_is_about_one() -> None:
    rng = np.random.default_rng(3)
    spread = night_spread(
        passing_nights(rng, np.full(200, 0.7), 80), passing_nights(rng, np.full(200, 0.4), 80), everyone(200)
    )
    # The first night of each side has nothing to be compared with; the last must not be what it is measured by.
    assert spread.nights.tolist() == [157.0]
    assert spread.square[0] == pytest.approx(1.0, abs=0.45)


def test_a_change_between_the_stretches_does_not_widen_the_spread() -> None:
    rng = np.random.default_rng(4)
    then, same, other = (passing_nights(rng, np.full(200, rate), 30) for rate in (0.9, 0.9, 0.3))
    assert night_spread(then, other, everyone(200)).square[0] < night_spread(then, same, everyone(200)).square[0] + 0.6


@given(st.floats(0.0, 10.0), st.integers(0, 60))
def test_the_spread_is_pulled_towards_one_unless_the_nights_speak_against_it(square: float, nights: int) -> None:
    seen = NightSpread(square=np.array([square]), nights=np.array([float(nights)]))
    used = shrunk_spread(seen)
    low, high = sorted([square if nights else 1.0, 1.0])
    assert low - 1e-9 <= used.square[0] <= high + 1e-9
    if nights >= 10 and square > 3.0:
        assert used.square[0] == pytest.approx(square)
        assert used.nights[0] == nights
