import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.known_change import known_change_z
from monitor.stats.two_versions.own_noise import MIN_RATIO, Floats, own_noise
from monitor.stats.within_case import within_case_variance

from .tallies import everyone, outcomes

CASES = 200


def pooled(values: Floats) -> NightTally:
    return NightTally.of_values(values).pooled()


def steady_rates(rng: np.random.Generator) -> Floats:
    rates: Floats = (rng.random(CASES) < 0.8).astype(np.float64)
    return rates


def noisier(rates: Floats, pull: float) -> Floats:
    pulled: Floats = rates + pull * (rates.mean() - rates)
    return pulled


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_the_variance_within_a_case_is_unbiased_over_all_its_samples(seed: int, samples: int) -> None:
    values = np.random.default_rng(seed).random((samples, 5, 1))
    found = within_case_variance(pooled(values))
    np.testing.assert_allclose(found, values[:, :, 0].var(axis=0, ddof=1), atol=1e-12)


def test_versions_alike_have_a_ratio_of_one() -> None:
    rng = np.random.default_rng(1)
    rates = rng.beta(1.2, 0.4, size=CASES)
    found = [
        own_noise(pooled(outcomes(rng, rates, 20)), pooled(outcomes(rng, rates, 5)), everyone(CASES)).ratio[0]
        for _ in range(100)
    ]
    assert np.mean(found) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("nights", [1, 2, 7])
@pytest.mark.parametrize("pull", [0.05, 0.2, 0.4])
def test_a_version_that_only_varies_more_raises_few_alarms(nights: int, pull: float) -> None:
    rng = np.random.default_rng(nights)
    alarms = 0
    for _ in range(300):
        rates = steady_rates(rng)
        then, now = outcomes(rng, rates, 30), outcomes(rng, noisier(rates, pull), nights)
        z = known_change_z(NightTally.of_values(then), NightTally.of_values(now), everyone(CASES))
        alarms += int(np.nan_to_num(z[0]) < -2.33)
    assert alarms / 300 < 0.01 + 4.0 * np.sqrt(0.01 / 300)


def test_a_small_fall_under_heavy_churn_shows_once_cases_were_answered_twice() -> None:
    rng = np.random.default_rng(5)
    z = []
    for _ in range(60):
        rates = steady_rates(rng)
        other = rng.permutation(rates)
        other[np.flatnonzero(other == 1.0)[:4]] = 0.0  # two points of two hundred
        then, now = outcomes(rng, rates, 30), outcomes(rng, other, 7)
        z.append(float(known_change_z(NightTally.of_values(then), NightTally.of_values(now), everyone(CASES))[0]))
    assert np.mean(z) < -1.5  # the pooled variance alone gives about half of it


def test_repeated_answers_of_the_first_night_replace_the_guess() -> None:
    rng = np.random.default_rng(6)
    rates = steady_rates(rng)
    other = rng.permutation(rates)  # churn: other cases pass, each as steadily as before
    then, now = pooled(outcomes(rng, rates, 30)), pooled(outcomes(rng, other, 1))
    repeats = outcomes(rng, other, 1)
    repeats[:, 60:] = np.nan
    guessed = own_noise(then, now, everyone(CASES)).ratio[0]
    reported = own_noise(then, now, everyone(CASES), pooled(repeats)).ratio[0]
    assert guessed > 2.0
    assert reported < 0.6 * guessed


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(2, 10))
def test_ratios_are_positive_and_a_guess_never_lowers_one(seed: int, after: int, cases: int) -> None:
    rng = np.random.default_rng(seed)
    values = outcomes(rng, rng.random(cases), 4 + after)
    values[:, 0] = np.nan
    members = np.stack([np.ones(cases), np.arange(cases) % 2 == 0], axis=1)
    found = own_noise(pooled(values[:4]), pooled(values[4:]), members)
    assert np.isfinite(found.ratio).all()
    assert (found.ratio >= MIN_RATIO).all()
    assert found.guessed == (after == 1)
    if found.guessed:
        assert (found.ratio >= 1.0 - 1e-12).all()
