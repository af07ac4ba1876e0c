from itertools import combinations, product
from math import comb, prod

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.conformal_z import (
    Draw,
    Floats,
    Scores,
    case_cumulants,
    channel_scores,
    conformal_scores,
    expected_score,
    running_totals,
    skewed_z,
)
from monitor.stats.night_tally import NightTally

from .tallies import everyone, outcomes, pass_rates, passing_nights

NIGHTS = 3
MEANS = np.array([-4.0, -1.0, -0.3, 0.3, 1.0, 4.0])
Counts = tuple[int, ...]


@st.composite
def tiny_channels(draw: st.DrawFn) -> list[tuple[Counts, int]]:
    """Cases as (samples on each night, passes over all nights); samples vary by case and night, 0 is not asked."""
    cases = []
    for _ in range(draw(st.integers(1, 3))):
        samples = tuple(draw(st.lists(st.integers(0, 2), min_size=NIGHTS, max_size=NIGHTS)))
        cases.append((samples, draw(st.integers(0, sum(samples)))))
    return cases


def arrangements(samples: Counts, total: int) -> list[tuple[Counts, float]]:
    """Every way that a case's passes fall on its nights, with its probability when no night is special."""
    ways = product(*(range(night + 1) for night in samples))
    return [
        (way, prod(comb(night, passed) for night, passed in zip(samples, way, strict=True)) / comb(sum(samples), total))
        for way in ways
        if sum(way) == total
    ]


def scores_of(passes: Floats, samples: Floats) -> Scores:
    return conformal_scores(NightTally.of_passes(passes.T, samples.T), everyone(passes.shape[0]))


@settings(max_examples=20, deadline=None)
@given(tiny_channels())
def test_without_a_change_scores_are_fair_and_independent_exactly(cases: list[tuple[Counts, int]]) -> None:
    ways = [arrangements(*case) for case in cases]
    assume(prod(map(len, ways)) <= 200)
    samples = np.array([case[0] for case in cases], dtype=np.float64)
    mean, square, evidence, together = np.zeros(NIGHTS), np.zeros(NIGHTS), np.zeros((NIGHTS, MEANS.size)), 0.0
    for chosen in product(*ways):
        scores = scores_of(np.array([way for way, _ in chosen], dtype=np.float64), samples)
        z = np.nan_to_num(scores.z[:, 0])
        chance = prod(weight for _, weight in chosen)
        mean += chance * z
        square += chance * np.where(np.isnan(scores.square[:, 0]), 1.0, scores.square[:, 0])
        evidence += chance * np.exp(MEANS * z[:, None] - MEANS**2 / 2.0)
        together += chance * z[1] * z[2]
    np.testing.assert_allclose(mean, 0.0, atol=1e-9)
    np.testing.assert_allclose(square, 1.0, atol=1e-9)
    assert (evidence <= 1.0 + 1e-9).all()
    assert abs(together) < 1e-9


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6))
def test_expected_scores_average_to_those_of_a_standard_normal(weights: list[float]) -> None:
    assume(sum(weights) > 1e-3)
    mass = np.array([weight for weight in weights if weight > 1e-6]) / sum(w for w in weights if w > 1e-6)
    below = np.cumsum(mass) - mass
    mean, square = expected_score(below, mass, np.maximum(1.0 - below - mass, 0.0))
    assert (mass * mean).sum() == pytest.approx(0.0, abs=1e-6)
    assert (mass * square).sum() == pytest.approx(1.0, abs=1e-6)
    assert (np.diff(mean) > 0.0).all()


@pytest.mark.parametrize("tail", [1e-3, 1e-30, 1e-290])
def test_expected_scores_keep_both_tails(tail: float) -> None:
    low, high = (np.array([each]) for each in (tail, 10.0 * tail))
    down, up = expected_score(low, high, 1.0 - low - high), expected_score(1.0 - low - high, high, low)
    np.testing.assert_allclose(down[0], -up[0], rtol=1e-9)
    assert np.isfinite(down[0]).all()
    assert down[1][0] >= down[0][0] ** 2


@pytest.mark.parametrize(("cases", "samples"), [(300, 1), (40, 1), (60, 3)])
def test_without_a_change_the_scores_are_standard_normal(cases: int, samples: int) -> None:
    from scipy.stats import kstest

    rng = np.random.default_rng(cases)
    members = np.stack([np.ones(cases), np.arange(cases) % 5 == 0], axis=1)
    z = np.concatenate(
        [conformal_scores(passing_nights(rng, pass_rates(rng, cases), 25, samples), members).z[1:] for _ in range(40)]
    )
    assert kstest(z[~np.isnan(z[:, 0]), 0], "norm").pvalue > 1e-4
    known = z[~np.isnan(z[:, 1]), 1]  # a small channel has equal sums: its scores are a little narrower
    assert abs(known.mean()) < 4.0 / np.sqrt(known.size)
    assert 0.9 < known.std() < 1.03


def test_scores_of_nights_are_independent() -> None:
    rng = np.random.default_rng(5)
    runs = [conformal_scores(passing_nights(rng, pass_rates(rng, 50), 12), everyone(50)).z[2:, 0] for _ in range(300)]
    z = np.array(runs)
    correlations = np.asarray(np.corrcoef(z.T))[np.triu_indices(z.shape[1], 1)]
    assert np.abs(correlations).max() < 4.5 / np.sqrt(300)
    assert abs(correlations.mean()) < 0.03


def test_graded_scores_are_standard_normal_too() -> None:
    rng = np.random.default_rng(6)
    z = []
    for _ in range(60):
        centre = rng.random(80)
        values = np.clip(np.round(4.0 * (centre[:, None] + 0.3 * rng.normal(size=(20, 80, 2)))) / 4.0, 0.0, 1.0)
        z.append(conformal_scores(NightTally.of_values(values), everyone(80)).z[3:])
    scores = np.concatenate(z)
    assert abs(scores.mean()) < 4.0 / np.sqrt(scores.size)
    assert 0.93 < scores.std() < 1.07


@given(st.integers(0, 2**32 - 1))
def test_the_order_of_the_cases_does_not_matter(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = outcomes(rng, pass_rates(rng, 12), 6, 2)
    members = np.stack([np.ones(12), np.arange(12) < 5], axis=1)
    order = rng.permutation(12)
    straight = conformal_scores(NightTally.of_values(values), members).z
    shuffled = conformal_scores(NightTally.of_values(values[:, order]), members[order]).z
    np.testing.assert_allclose(shuffled, straight, atol=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(4, 60))
def test_a_case_without_samples_changes_nothing(seed: int, cases: int) -> None:
    rng = np.random.default_rng(seed)
    values = outcomes(rng, pass_rates(rng, cases), 6, 2)
    never = np.full((6, 3, 2), np.nan)
    alone = conformal_scores(NightTally.of_values(values), everyone(cases)).z
    beside = conformal_scores(NightTally.of_values(np.concatenate([values, never], axis=1)), everyone(cases + 3)).z
    np.testing.assert_allclose(beside, alone, atol=1e-9)


@pytest.mark.parametrize("seed", [755, 785, 1941])
def test_a_variance_that_is_six_but_for_the_last_digit_is_six_however_it_was_summed(seed: int) -> None:
    rng = np.random.default_rng(seed)
    cases = int(rng.integers(4, 61))
    values = outcomes(rng, pass_rates(rng, cases), 6, 2)
    more = np.concatenate([values, np.full((6, 3, 2), np.nan)], axis=1)
    tally = NightTally.of_values(values)
    variance = case_cumulants(Draw(now=tally, everything=running_totals(tally))).variance.sum(axis=1)
    assert np.abs(variance - 6.0).min() < 1e-12
    alone, beside = (conformal_scores(NightTally.of_values(each), everyone(each.shape[1])).z for each in (values, more))
    np.testing.assert_allclose(beside, alone, atol=1e-9)


def test_an_outage_is_no_drop() -> None:
    rng = np.random.default_rng(9)
    values = outcomes(rng, np.full(100, 0.9), 20)
    values[15, :60] = np.nan
    values[17] = np.nan
    z = conformal_scores(NightTally.of_values(values), everyone(100)).z[:, 0]
    assert abs(z[15]) < 3.0
    assert np.isnan(z[17])


def test_a_drop_is_negative_and_a_rise_positive() -> None:
    passes = np.tile([1.0, 0.0], (10, 10))
    lower, higher = passes.copy(), passes.copy()
    lower[-1, :6] = 0.0
    higher[-1, :6] = 1.0
    z = [
        float(conformal_scores(NightTally.of_passes(x, np.ones_like(x)), everyone(20)).z[-1, 0])
        for x in (lower, higher)
    ]
    assert z[0] < -2.0
    assert z[1] > 2.0


def test_where_nothing_is_uncertain_there_is_no_score() -> None:
    always_never = np.tile([1.0, 0.0], (8, 1))
    scores = conformal_scores(NightTally.of_passes(always_never, np.ones((8, 2))), np.eye(2))
    assert np.isnan(scores.z).all()
    assert np.isnan(scores.square[0]).all()
    assert (scores.square[1:] == 1.0).all()  # but such nights count as nights of the usual spread


@given(st.integers(0, 2**32 - 1), st.sampled_from([6, 80]))
def test_cutting_later_nights_changes_nothing(seed: int, cases: int) -> None:
    rng = np.random.default_rng(seed)
    tally = passing_nights(rng, pass_rates(rng, cases), 9, 2)
    whole = conformal_scores(tally, everyone(cases)).z
    np.testing.assert_allclose(conformal_scores(tally.between(0, 5), everyone(cases)).z, whole[:5], atol=1e-9)


def test_the_exact_and_the_approximate_way_meet_where_one_takes_over_from_the_other() -> None:
    rng = np.random.default_rng(11)
    tally = passing_nights(rng, rng.uniform(0.2, 0.8, 25), 40)
    exact = conformal_scores(tally, everyone(25)).z[20:]
    cumulants = case_cumulants(Draw(now=tally, everything=running_totals(tally)))
    mean, variance, third = (part[20:] for part in cumulants.of_channel(everyone(25)))
    assert variance.max() < 6.0
    approximate = skewed_z(tally.first[20:].sum(axis=1, keepdims=True) - mean, variance, third)
    np.testing.assert_allclose(approximate, exact, atol=0.03)


samples_of_a_case = arrays(np.float64, st.integers(3, 6), elements=st.sampled_from([0.0, 0.2, 0.5, 1.0]))


@given(samples_of_a_case, st.integers(1, 3))
def test_cumulants_are_those_of_every_way_to_draw(values: Floats, drawn: int) -> None:
    sums = np.array([sum(chosen) for chosen in combinations(values, drawn)])
    everything = NightTally.of_values(values[None, None, :])
    found = case_cumulants(Draw(now=NightTally.of_values(values[None, None, :drawn]), everything=everything))
    assert found.mean[0, 0] == pytest.approx(sums.mean())
    assert found.variance[0, 0] == pytest.approx(sums.var(), abs=1e-12)
    assert found.third[0, 0] == pytest.approx(((sums - sums.mean()) ** 3).mean(), abs=1e-12)


@given(st.integers(0, 2**32 - 1))
def test_scores_of_zero_and_one_have_the_moments_of_counts(seed: int) -> None:
    rng = np.random.default_rng(seed)
    counts = passing_nights(rng, pass_rates(rng, 10), 5, 3)
    scores = NightTally(count=counts.count, first=counts.first, second=counts.second.copy(), third=counts.third.copy())
    assert counts.binary
    assert not scores.binary
    one, other = (case_cumulants(Draw(now=t, everything=running_totals(t))) for t in (counts, scores))
    np.testing.assert_allclose(one.mean, other.mean)
    np.testing.assert_allclose(one.variance, other.variance)
    np.testing.assert_allclose(one.third, other.third)


@given(st.floats(-50.0, 50.0), st.floats(1e-3, 20.0), st.floats(0.1, 30.0), st.floats(-20.0, 20.0))
def test_a_larger_deviation_never_has_a_smaller_score(
    deviation: float, more: float, variance: float, third: float
) -> None:
    z = skewed_z(np.array([deviation, deviation + more]), np.full(2, variance), np.full(2, third))
    assert np.isfinite(z).all()
    assert z[0] <= z[1]


def test_without_skewness_the_score_is_the_deviation_in_standard_deviations() -> None:
    assert skewed_z(np.array([-3.0]), np.array([4.0]), np.array([0.0])) == pytest.approx(-1.5, abs=1e-3)


def test_without_variance_there_is_no_score() -> None:
    assert np.isnan(skewed_z(np.array([1.0]), np.array([0.0]), np.array([0.0]))).all()


def test_any_draw_can_be_scored_row_by_row() -> None:
    rng = np.random.default_rng(2)
    tally = passing_nights(rng, pass_rates(rng, 20), 5)
    totals = running_totals(tally)
    whole = channel_scores(Draw(now=tally, everything=totals), everyone(20)).z
    row = Draw(now=tally.between(3, 4), everything=totals.between(3, 4))
    np.testing.assert_allclose(channel_scores(row, everyone(20)).z, whole[3:4], atol=1e-12)
