import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from monitor.stats.mcnemar import exact_mcnemar

counts = st.integers(min_value=0, max_value=400)


def test_the_airway_example_of_fagerland_2013_gives_its_published_p_value() -> None:
    # Bentur et al. 2009 in Fagerland, Lydersen and Laake 2013, table 3: 1, 1, 7, 12; exact conditional P = 0.070
    assert exact_mcnemar(1, 7) == pytest.approx(0.0703125, abs=1e-12)


def test_no_flips_speak_against_nothing() -> None:
    assert exact_mcnemar(0, 0) == 1.0


def test_five_flips_one_way_are_not_enough_and_six_are() -> None:
    assert exact_mcnemar(5, 0) == pytest.approx(0.0625)
    assert exact_mcnemar(6, 0) == pytest.approx(0.03125)


def test_a_huge_shift_has_a_tiny_p_value_and_not_zero() -> None:
    assert exact_mcnemar(477, 139) == pytest.approx(2.812962599907998e-44, rel=1e-9)


@given(counts, counts)
def test_it_equals_the_binomial_test_and_does_not_know_the_direction(to_fail: int, to_pass: int) -> None:
    p_value = exact_mcnemar(to_fail, to_pass)
    assert p_value == exact_mcnemar(to_pass, to_fail)
    assert 0.0 <= p_value <= 1.0
    if to_fail + to_pass:
        assert p_value == pytest.approx(binomtest(to_fail, to_fail + to_pass).pvalue, rel=1e-6, abs=1e-300)


@given(st.integers(0, 200), st.integers(0, 200))
def test_one_more_flip_of_the_majority_never_weakens_the_evidence(minority: int, surplus: int) -> None:
    majority = minority + surplus
    assert exact_mcnemar(majority + 1, minority) <= exact_mcnemar(majority, minority) + 1e-12


def test_negative_counts_are_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="cannot be negative: -1 to fail, 2 to pass"):
        exact_mcnemar(-1, 2)
