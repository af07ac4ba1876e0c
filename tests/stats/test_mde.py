import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.mcnemar import exact_mcnemar
from monitor.stats.mde import smallest_detectable_effect

sizes = st.integers(4, 3000)
shares = st.floats(0.0, 1.0)


def test_it_solves_connors_sample_size_equation() -> None:
    delta, psi = smallest_detectable_effect(n=800, discordance=0.1), 0.1
    needed = ((1.959963985 * math.sqrt(psi) + 0.841621234 * math.sqrt(psi - delta**2)) / delta) ** 2
    assert needed == pytest.approx(800, rel=1e-6)


@given(sizes, shares)
def test_it_is_an_effect_and_falls_with_more_cases(n: int, discordance: float) -> None:
    effect = smallest_detectable_effect(n, discordance)
    assert 0.0 < effect <= 1.0
    assert smallest_detectable_effect(2 * n, discordance) <= effect


@given(sizes, shares, shares)
def test_noisier_sets_see_less(n: int, one: float, other: float) -> None:
    quiet, noisy = sorted([one, other])
    assert smallest_detectable_effect(n, quiet) <= smallest_detectable_effect(n, noisy) + 1e-12


@given(sizes, shares)
def test_more_power_or_a_stricter_alpha_needs_a_larger_effect(n: int, discordance: float) -> None:
    usual = smallest_detectable_effect(n, discordance)
    assert smallest_detectable_effect(n, discordance, power=0.95) >= usual
    assert smallest_detectable_effect(n, discordance, alpha=0.001) >= usual


def test_a_set_that_never_flips_still_needs_some_flips_to_see_a_change() -> None:
    assert smallest_detectable_effect(n=800, discordance=0.0) == pytest.approx(0.0098, abs=1e-4)


def test_three_cases_can_see_nothing() -> None:
    assert smallest_detectable_effect(n=3, discordance=0.1) == 1.0


@pytest.mark.parametrize(("n", "discordance"), [(50, 0.1), (100, 0.3), (300, 0.1), (300, 0.6), (800, 0.05)])
def test_a_drop_of_that_size_is_found_about_four_times_in_five(n: int, discordance: float) -> None:
    delta = smallest_detectable_effect(n, discordance)
    psi = max(discordance, delta)
    rng = np.random.default_rng(n)
    draws = rng.multinomial(n, [(psi - delta) / 2, (psi + delta) / 2, 1 - psi], size=4000)
    found = np.mean([exact_mcnemar(int(down), int(up)) < 0.05 for up, down, _ in draws])
    assert 0.74 <= found <= 0.83


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"n": 0, "discordance": 0.1}, "at least one paired case"),
        ({"n": 10, "discordance": 1.2}, "discordance is a share"),
        ({"n": 10, "discordance": float("nan")}, "discordance is a share"),
        ({"n": 10, "discordance": 0.1, "alpha": 0.0}, "alpha must be between 0 and 1"),
        ({"n": 10, "discordance": 0.1, "alpha": 1.0}, "alpha must be between 0 and 1"),
        ({"n": 10, "discordance": 0.1, "power": 0.3}, "power must be between 0.5 and 1"),
        ({"n": 10, "discordance": 0.1, "power": 1.0}, "power must be between 0.5 and 1"),
    ],
)
def test_impossible_questions_are_refused_with_a_sentence(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        smallest_detectable_effect(**arguments)


def test_the_extreme_arguments_are_answered() -> None:
    assert smallest_detectable_effect(n=1, discordance=0.5) == 1.0
    assert 0.0 < smallest_detectable_effect(n=300, discordance=0.1, power=0.5) < smallest_detectable_effect(300, 0.1)
