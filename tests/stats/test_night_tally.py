import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.night_tally import Floats, NightTally

shapes = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3))
answers = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0, np.nan])))
grades = shapes.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan]))
)


def assert_same(one: NightTally, other: NightTally) -> None:
    np.testing.assert_allclose(one.count, other.count)
    np.testing.assert_allclose(one.first, other.first)
    np.testing.assert_allclose(one.second, other.second)
    np.testing.assert_allclose(one.third, other.third)


@given(answers)
def test_scores_of_zero_and_one_are_passes(values: Floats) -> None:
    scored = (~np.isnan(values)).sum(axis=2)
    passes = np.where(scored > 0, np.nansum(values, axis=2), np.nan)
    tally = NightTally.of_values(values)
    assert tally.binary
    assert_same(tally, NightTally.of_passes(passes, scored.astype(np.float64)))


@given(grades)
def test_a_missing_sample_is_in_no_sum(values: Floats) -> None:
    tally = NightTally.of_values(values)
    assert np.array_equal(tally.count, (~np.isnan(values)).sum(axis=2))
    np.testing.assert_allclose(tally.first, np.nansum(values, axis=2))
    np.testing.assert_allclose(tally.second, np.nansum(values**2, axis=2))
    np.testing.assert_allclose(tally.third, np.nansum(values**3, axis=2))


@given(grades)
def test_a_night_is_the_sum_of_its_parts(values: Floats) -> None:
    parts = NightTally.of_values(values[:, :, :1]) + NightTally.of_values(values[:, :, 1:])
    assert_same(parts, NightTally.of_values(values))


@given(grades, st.integers(0, 4))
def test_nights_pooled_are_their_stretches_pooled_and_added(values: Floats, cut: int) -> None:
    tally = NightTally.of_values(values)
    halves = tally.between(0, cut).pooled() + tally.between(cut, tally.nights).pooled()
    assert_same(halves, tally.pooled())
    assert tally.pooled().nights == 1


def test_counts_stay_counts_when_they_are_cut_pooled_and_added() -> None:
    tally = NightTally.of_passes(np.array([[1.0, 2.0], [0.0, 1.0]]), np.full((2, 2), 2.0))
    assert tally.between(0, 1).binary
    assert tally.pooled().binary
    assert (tally + tally).binary


def test_a_partial_credit_makes_no_counts() -> None:
    graded = NightTally.of_values(np.array([[[0.5]]]))
    assert not graded.binary
    assert not (graded + NightTally.of_values(np.array([[[1.0]]]))).binary
    assert not graded.pooled().binary


def test_no_score_is_no_failure() -> None:
    tally = NightTally.of_passes(np.array([[np.nan, 0.0]]), np.array([[3.0, 3.0]]))
    assert tally.count.tolist() == [[0.0, 3.0]]
    assert tally.first.tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize("passes", [2.0, -1.0])
def test_more_passes_than_samples_or_less_than_none_are_refused(passes: float) -> None:
    with pytest.raises(ValueError, match="passes must be between 0 and the number of samples"):
        NightTally.of_passes(np.array([[passes]]), np.array([[1.0]]))


@pytest.mark.parametrize("score", [1.01, -0.01, np.inf])
def test_a_score_off_the_scale_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        NightTally.of_values(np.array([[[score]]]))


def test_scores_without_a_dimension_for_samples_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\[nights, cases, samples\], got 2 dimensions"):
        NightTally.of_values(np.ones((2, 2)))
