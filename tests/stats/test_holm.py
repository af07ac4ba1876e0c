from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.holm import holm

p_lists = st.lists(st.floats(min_value=0.0, max_value=1.0), max_size=12)


def test_a_worked_example_comes_out_by_hand() -> None:
    # sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1 = 0.02, 0.03, 0.06, 0.04 -> running maximum
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_no_tests_give_no_values() -> None:
    assert holm([]) == []


def test_a_single_test_is_left_alone() -> None:
    assert holm([0.04]) == [0.04]


@given(p_lists)
def test_adjustment_never_lowers_a_value_keeps_the_order_and_stays_below_bonferroni(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    by_rank = [adjusted[i] for i in sorted(range(len(p_values)), key=p_values.__getitem__)]
    assert by_rank == sorted(by_rank)
    for p, q in zip(p_values, adjusted, strict=True):
        assert p <= q <= min(1.0, len(p_values) * p)


@given(p_lists, st.randoms(use_true_random=False))
def test_the_order_in_which_tests_are_given_does_not_matter(p_values: list[float], random: Random) -> None:
    order = list(range(len(p_values)))
    random.shuffle(order)
    shuffled = holm([p_values[i] for i in order])
    assert shuffled == [holm(p_values)[i] for i in order]


@pytest.mark.parametrize("bad", [float("nan"), -0.1, 1.1])
def test_what_is_no_p_value_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="must be between 0 and 1"):
        holm([0.5, bad])


def test_the_family_errs_at_most_at_its_rate_when_nothing_is_true() -> None:
    rng = np.random.default_rng(20261121)
    families = rng.random((4000, 11))
    errors = sum(min(holm(list(row))) < 0.05 for row in families) / len(families)
    assert errors <= 0.05 + 2 * (0.05 * 0.95 / 4000) ** 0.5
