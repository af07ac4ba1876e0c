from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.stats.agreement import Agreement, cohen_kappa, gwet_ac1, raw_agreement

# Fleiss, Statistical Methods for Rates and Proportions (1981), table 13.1: 100 subjects, 3 diagnoses
FLEISS = np.array([[75, 1, 4], [5, 4, 1], [0, 0, 10]])
# Gwet 2008, table 1: the paradox of kappa, 125 subjects of which both raters call 118 positive
GWET = np.array([[118, 5], [2, 0]])
tables = st.integers(2, 4).flatmap(
    lambda c: st.lists(st.integers(0, 30), min_size=c * c, max_size=c * c).map(lambda x: np.array(x).reshape(c, c))
)


def test_the_example_of_fleiss_gives_its_published_kappa_and_standard_error() -> None:
    kappa = cohen_kappa(FLEISS)
    assert kappa.value == pytest.approx((0.89 - 0.66) / (1 - 0.66))  # 0.68 by hand
    assert kappa.interval is not None
    assert (kappa.interval[1] - kappa.interval[0]) / (2 * 1.959964) == pytest.approx(0.0877, abs=5e-5)


def test_the_weighted_kappas_of_that_table_come_out_by_hand() -> None:
    # linear: po = .89 + .5 (.01 + .05 + .01 + 0) = .925, pe = .66 + .5 (.04 + .08 + .015 + .005) = .73
    assert cohen_kappa(FLEISS, "linear").value == pytest.approx((0.925 - 0.73) / (1 - 0.73))
    # quadratic: three quarters for neighbours
    assert cohen_kappa(FLEISS, "quadratic").value == pytest.approx((0.9425 - 0.765) / (1 - 0.765))


def test_where_one_category_rules_kappa_is_near_zero_and_ac1_near_the_raw_agreement() -> None:
    assert raw_agreement(GWET).value == pytest.approx(0.944)
    assert cohen_kappa(GWET).value == pytest.approx(-0.0234, abs=5e-5)
    assert gwet_ac1(GWET).value == pytest.approx((0.944 - 0.054432) / (1 - 0.054432))  # 0.9408 by hand


@pytest.mark.parametrize("coefficient", [cohen_kappa, gwet_ac1, raw_agreement])
@pytest.mark.parametrize("table", [FLEISS * 3, np.array([[40, 10, 3], [8, 30, 9], [4, 7, 39]])])
def test_the_interval_covers_what_many_tables_of_that_kind_have(
    coefficient: Callable[[Any], Agreement], table: np.ndarray
) -> None:
    rng = np.random.default_rng(1)
    truth = coefficient(table).value
    draws = rng.multinomial(table.sum(), (table / table.sum()).ravel(), size=600).reshape(-1, *table.shape)
    ends = [coefficient(draw).interval for draw in draws]
    covered = np.mean([end is not None and truth is not None and end[0] <= truth <= end[1] for end in ends])
    assert 0.92 <= covered <= 0.98


@given(tables)
def test_coefficients_stay_in_range_and_do_not_know_who_is_first(table: np.ndarray) -> None:
    if not table.sum():
        return
    for coefficient in (cohen_kappa, gwet_ac1, raw_agreement):
        here, there = coefficient(table), coefficient(table.T)
        assert (here.value is None) == (there.value is None)
        if here.value is not None and here.interval is not None:
            assert here.value == pytest.approx(there.value, abs=1e-9)
            assert -1.0 <= here.interval[0] <= here.value + 1e-12
            assert here.value - 1e-12 <= here.interval[1] <= 1.0


@given(tables)
def test_with_two_categories_weights_make_no_difference(table: np.ndarray) -> None:
    two = table[:2, :2]
    if two.sum():
        assert cohen_kappa(two, "linear") == cohen_kappa(two) == cohen_kappa(two, "quadratic")


def test_full_agreement_is_one() -> None:
    table = np.diag([5, 7, 9])
    assert cohen_kappa(table).value == gwet_ac1(table).value == raw_agreement(table).value == 1.0


def test_two_raters_who_only_ever_say_one_thing_have_no_kappa() -> None:
    table = np.array([[20, 0], [0, 0]])
    assert cohen_kappa(table) == Agreement(value=None, interval=None, n=20)
    assert gwet_ac1(table).value == 1.0


def test_raters_who_guess_agree_by_chance() -> None:
    rng = np.random.default_rng(2)
    table = np.zeros((2, 2), dtype=np.int64)
    np.add.at(table, (rng.integers(0, 2, 20000), rng.integers(0, 2, 20000)), 1)
    assert cohen_kappa(table).value == pytest.approx(0.0, abs=0.02)
    assert gwet_ac1(table).value == pytest.approx(0.0, abs=0.02)


@pytest.mark.parametrize(
    ("table", "level", "sentence"),
    [
        (np.ones((2, 3), dtype=np.int64), 0.95, "must be square with at least two categories"),
        (np.ones((1, 1), dtype=np.int64), 0.95, "must be square with at least two categories"),
        (np.zeros((2, 2), dtype=np.int64), 0.95, "at least one rated item"),
        (np.array([[1, -1], [0, 2]]), 0.95, "must have counts"),
        (np.eye(2, dtype=np.int64), 95.0, "confidence level must be between 0 and 1"),
    ],
)
def test_what_is_no_table_is_refused_with_a_sentence(table: np.ndarray, level: float, sentence: str) -> None:
    for coefficient in (cohen_kappa, gwet_ac1, raw_agreement):
        with pytest.raises(ValueError, match=sentence):
            coefficient(table, level=level)
