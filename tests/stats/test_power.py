from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from monitor.stats.power import Noise, detectable_effect, plan
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries

QUIET = Noise(within_variance=0.08, night_variance=0.0)
UNEASY = Noise(within_variance=0.08, night_variance=0.006**2)


def _told(n: int, k: int, nights: int, drop: float, night_sd: float, runs: int = 2500) -> float:
    """Share of simulated changes that a nightly look at the two means tells within `nights`."""
    rng = np.random.default_rng([n, k, nights])
    rates = rng.beta(4, 4, size=n) * 0.4 + 0.5
    noise = float(np.mean(rates * (1 - rates))) / (n * k) + night_sd**2
    means = rng.normal(scale=night_sd, size=(runs, 14 + nights)) if night_sd else np.zeros((runs, 14 + nights))
    means[:, :14] += _night_means(rng, rates, k, (runs, 14))
    means[:, 14:] += _night_means(rng, rates - drop, k, (runs, nights))
    before = means[:, :14].mean(axis=1)
    reported = np.zeros(runs, dtype=bool)
    for look in (m for m in LOOKS if m <= nights):
        change = before - means[:, 14 : 14 + look].mean(axis=1)
        reported |= change / np.sqrt(noise * (1 / 14 + 1 / look)) >= boundaries(0.025)[LOOKS.index(look)]
    return float(reported.mean())


def _night_means(rng: np.random.Generator, rates: np.ndarray, k: int, shape: tuple[int, int]) -> np.ndarray:
    passes = np.zeros(shape)
    for rate in rates:
        passes += rng.binomial(k, rate, size=shape)
    return passes / (rates.size * k)


@pytest.mark.parametrize(("nights", "k", "night_sd"), [(2, 1, 0.0), (7, 1, 0.006), (5, 3, 0.004), (14, 2, 0.008)])
def test_a_planned_set_detects_the_planned_drop_in_four_of_five_runs(nights: int, k: int, night_sd: float) -> None:
    rates = 0.5 + 0.4 * np.random.default_rng(0).beta(4, 4, size=20000)
    noise = Noise(within_variance=float(np.mean(rates * (1 - rates))), night_variance=night_sd**2)
    drop = 0.06
    [n] = [a.n for a in plan(drop, noise, repeats=(k,)).alternatives if a.nights == nights]
    assert _told(n, k, nights, drop, night_sd) == pytest.approx(0.8, abs=0.035)


def test_one_look_with_a_long_baseline_is_the_textbook_formula() -> None:
    answer = plan(0.02, QUIET, baseline_nights=10**6, looks=(4,), repeats=(1,))
    expected = 0.08 / 4 * ((norm.ppf(0.975) + norm.ppf(0.8)) / 0.02) ** 2
    assert answer.alternatives[0].n == pytest.approx(expected, rel=0.002)


def test_the_cheapest_way_comes_first_and_the_table_is_complete() -> None:
    answer = plan(0.02, QUIET, repeats=(1, 2))
    assert {(a.nights, a.k) for a in answer.alternatives} == {(m, k) for m in LOOKS for k in (1, 2)}
    assert all(a.samples <= b.samples for a, b in pairwise(answer.alternatives))


def test_an_effect_below_the_noise_floor_needs_more_nights() -> None:
    answer = plan(0.015, UNEASY)
    short = [floor.nights for floor in answer.floors if not floor.enough]
    assert short
    assert max(short) < min(a.nights for a in answer.alternatives)
    assert answer.floors[0].effect == pytest.approx(detectable_effect(UNEASY, n=10**9, k=1, nights=1), rel=1e-4)


def test_a_night_effect_that_even_thirty_nights_cannot_lower_leaves_no_alternative() -> None:
    answer = plan(0.005, Noise(within_variance=0.08, night_variance=0.02**2))
    assert answer.alternatives == ()
    assert not any(floor.enough for floor in answer.floors)


def test_a_set_of_at_most_so_many_cases_is_reached_with_repeats() -> None:
    answer = plan(0.02, QUIET, most_cases=300)
    assert answer.alternatives
    assert all(a.n <= 300 for a in answer.alternatives)
    assert any(a.k > 1 for a in answer.alternatives)


@settings(max_examples=40, deadline=None)  # the first example waits for scipy
@given(st.floats(0.005, 0.3), st.floats(0.01, 0.25), st.floats(0.0, 0.01))
def test_every_alternative_sees_the_effect_and_one_case_less_does_not(
    effect: float, within: float, night_sd: float
) -> None:
    noise = Noise(within_variance=within, night_variance=night_sd**2)
    for a in plan(effect, noise, repeats=(1, 3)).alternatives[:3]:
        assert detectable_effect(noise, n=a.n, k=a.k, nights=a.nights) <= effect * (1 + 1e-6)
        if a.n > 1:
            assert detectable_effect(noise, n=a.n - 1, k=a.k, nights=a.nights) > effect * (1 - 1e-6)


@pytest.mark.parametrize("larger", [{"n": 600}, {"k": 2}, {"nights": 14}, {"baseline_nights": 28}, {"power": 0.7}])
def test_more_of_anything_sees_less_of_an_effect(larger: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"n": 300, "k": 1, "nights": 7}
    assert detectable_effect(UNEASY, **{**usual, **larger}) < detectable_effect(UNEASY, **usual)


def test_a_drop_and_a_rise_of_one_size_need_the_same() -> None:
    assert plan(-0.02, UNEASY) == plan(0.02, UNEASY)
    assert plan(-0.02, UNEASY).alternatives


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"effect": 0.0}, "an effect must be a fraction"),
        ({"effect": 2.0}, "2 points are 0.02"),
        ({"noise": Noise(within_variance=0.0, night_variance=0.0)}, "within-case variance above 0"),
        ({"noise": Noise(within_variance=0.1, night_variance=float("nan"))}, "night variance of at least 0"),
        ({"power": 0.3}, "power must be between 0.5 and 1"),
        ({"alpha": 1.0}, "alpha must be between 0 and 1"),
        ({"baseline_nights": 0}, "the baseline has 0"),
    ],
)
def test_impossible_plans_are_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        plan(**{"effect": 0.02, "noise": QUIET, **arguments})


def test_a_set_without_cases_or_looks_is_refused() -> None:
    with pytest.raises(ValueError, match="0 cases, 1 repeats, 7 nights"):
        detectable_effect(QUIET, n=0, k=1, nights=7)
    with pytest.raises(ValueError, match="at least one case, one repeat and one look"):
        detectable_effect(QUIET, n=10, k=1, nights=0)
