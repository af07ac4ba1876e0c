import math
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.multiplicity import average_e, e_bh, split_alpha

e_lists = st.lists(st.floats(0.0, 1e6), min_size=1, max_size=20)


@given(e_lists)
def test_the_average_is_between_the_smallest_and_the_largest(e_values: list[float]) -> None:
    merged = average_e(e_values, [1.0] * len(e_values))
    assert min(e_values) <= merged * (1 + 1e-12)
    assert merged <= max(e_values) * (1 + 1e-12)


def test_half_the_weight_on_the_overall_channel_needs_twice_its_evidence() -> None:
    assert average_e([40.0, 0.0, 0.0], [2.0, 1.0, 1.0]) == 20.0


def test_an_infinite_e_value_without_weight_counts_for_nothing() -> None:
    assert average_e([math.inf, 3.0], [0.0, 1.0]) == 3.0
    assert average_e([math.inf, 3.0], [0.5, 0.5]) == math.inf


def test_fully_dependent_channels_keep_the_level() -> None:
    z = np.random.default_rng(1).normal(size=40000)
    merged = [average_e([e, e, e], [0.5, 0.25, 0.25]) for e in np.exp(2.0 * z - 2.0)]
    assert np.mean(np.array(merged) >= 20.0) <= 0.05


def test_a_worked_example_of_e_bh_comes_out_by_hand() -> None:
    # m / alpha = 50: 1 x 30 < 50, 2 x 28 >= 50, 3 x 17 >= 50, 4 x 12 < 50, 5 x 1 < 50
    assert e_bh([12.0, 30.0, 1.0, 28.0, 17.0], alpha=0.1) == [False, True, False, True, True]


def test_no_e_values_give_no_answers() -> None:
    assert e_bh([], alpha=0.05) == []


@given(e_lists, st.floats(0.01, 0.5))
def test_e_bh_is_benjamini_hochberg_on_inverse_e_values(e_values: list[float], alpha: float) -> None:
    p = np.array([min(1.0, 1.0 / e) if e > 0 else 1.0 for e in e_values])
    ranked = np.sort(p)
    passing = np.flatnonzero(ranked <= alpha * np.arange(1, p.size + 1) / p.size * (1 - 1e-9))
    expected = p <= ranked[passing[-1]] if passing.size else np.zeros(p.size, dtype=bool)
    found = e_bh(e_values, alpha)
    assert all(got or not want for got, want in zip(found, expected, strict=True))


@given(e_lists, st.randoms(use_true_random=False))
def test_the_order_of_e_values_does_not_matter(e_values: list[float], random: Random) -> None:
    order = list(range(len(e_values)))
    random.shuffle(order)
    found = e_bh(e_values, 0.1)
    by_value = sorted(zip(e_values, found, strict=True))
    shuffled = sorted(zip([e_values[i] for i in order], e_bh([e_values[i] for i in order], 0.1), strict=True))
    assert sum(a for _, a in by_value) == sum(a for _, a in shuffled)


def test_false_discoveries_stay_below_the_rate_when_some_hypotheses_are_true() -> None:
    rng = np.random.default_rng(2)
    shares = []
    for _ in range(1500):
        z = rng.normal(size=20) + rng.normal() * 0.5
        z = z / math.sqrt(1.25) + np.where(np.arange(20) < 5, 4.0, 0.0)
        found = e_bh(list(np.exp(3.0 * z - 4.5)), 0.1)
        shares.append(sum(found[5:]) / max(sum(found), 1))
    assert np.mean(shares) <= 0.1


@given(st.dictionaries(st.text(min_size=1, max_size=5), st.floats(0.01, 100), min_size=1, max_size=8))
def test_the_shares_add_up_to_alpha(weights: dict[str, float]) -> None:
    shares = split_alpha(weights, 0.05)
    assert math.fsum(shares.values()) == pytest.approx(0.05)
    assert shares.keys() == weights.keys()


def test_no_deployments_have_no_shares() -> None:
    assert split_alpha({}, 0.05) == {}


def test_what_cannot_be_merged_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="an e-value must be at least 0, got nan"):
        average_e([float("nan")], [1.0])
    with pytest.raises(ValueError, match="an e-value must be at least 0, got -1"):
        e_bh([-1.0], 0.05)
    with pytest.raises(ValueError, match="2 e-values, 1 weights"):
        average_e([1.0, 2.0], [1.0])
    with pytest.raises(ValueError, match="at least one weight must be above 0"):
        average_e([], [])
    with pytest.raises(ValueError, match="a weight must be finite"):
        average_e([1.0], [math.inf])
    with pytest.raises(ValueError, match=r"'idle' has the weight 0\.0: it would never alarm"):
        split_alpha({"support": 1.0, "idle": 0.0}, 0.05)
    with pytest.raises(ValueError, match="alpha must be between 0 and 1"):
        e_bh([1.0], 1.0)
