from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.mcnemar import exact_mcnemar
from monitor.stats.sign_flip import MAX_EXACT, sign_flip_test

few = st.lists(st.integers(-4, 4).map(lambda q: q / 4), max_size=9)


@given(few)
def test_few_differences_are_tried_with_every_sign(values: list[float]) -> None:
    observed = abs(sum(values))
    signs = list(product([-1, 1], repeat=len(values)))
    share = sum(abs(sum(s * d for s, d in zip(sign, values, strict=True))) >= observed for sign in signs) / len(signs)
    assert sign_flip_test(np.array(values), np.random.default_rng(0)) == pytest.approx(share)


@given(st.integers(0, 7), st.integers(0, 7))
def test_pass_or_fail_gives_the_exact_mcnemar_test(to_fail: int, to_pass: int) -> None:
    differences = np.array([-1.0] * to_fail + [1.0] * to_pass + [0.0] * 5)
    p_value = sign_flip_test(differences, np.random.default_rng(0))
    assert p_value == pytest.approx(exact_mcnemar(to_fail, to_pass))


def test_drawn_signs_agree_with_all_signs() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(loc=0.05, scale=0.3, size=MAX_EXACT)
    exact = sign_flip_test(values, rng)
    padded = np.append(values, [1e-12] * 2)  # two more that weigh nothing: past what is tried exactly
    assert 0.02 < exact < 0.5
    assert sign_flip_test(padded, rng, draws=40000) == pytest.approx(exact, abs=0.012)


def test_the_same_seed_gives_the_same_p_value() -> None:
    values = np.random.default_rng(2).normal(size=200)
    one, other = (sign_flip_test(values, np.random.default_rng(3)) for _ in range(2))
    assert one == other


def test_a_drawn_p_value_is_never_zero() -> None:
    assert sign_flip_test(np.full(300, -0.5), np.random.default_rng(1), draws=99) == 0.01


def test_chance_is_called_a_change_at_most_at_the_nominal_rate() -> None:
    rng = np.random.default_rng(4)
    wrong = [sign_flip_test(rng.normal(size=40) * rng.random(40), rng, draws=199) <= 0.05 for _ in range(500)]
    assert 0.02 <= np.mean(wrong) <= 0.05 + 2 * (0.05 * 0.95 / 500) ** 0.5


@given(few)
def test_the_direction_and_missing_cases_do_not_matter(values: list[float]) -> None:
    rng = np.random.default_rng(0)
    p_value = sign_flip_test(np.array(values), rng)
    assert sign_flip_test(-np.array([*values, np.nan]), rng) == p_value


def test_nothing_that_differs_speaks_against_nothing() -> None:
    assert sign_flip_test(np.zeros(0), np.random.default_rng(0)) == 1.0
    assert sign_flip_test(np.zeros(30), np.random.default_rng(0)) == 1.0


def test_no_draws_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="at least one draw is needed, got 0"):
        sign_flip_test(np.ones(3), np.random.default_rng(0), draws=0)
