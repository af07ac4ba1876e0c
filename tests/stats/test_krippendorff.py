from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from monitor.stats.agreement import cohen_kappa
from monitor.stats.krippendorff import Metric, krippendorff_alpha

NAN = np.nan
# Krippendorff, Content Analysis (2004), chapter 11: four observers, twelve units, values missing
PUBLISHED = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
)
panels = arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 6)), elements=st.sampled_from([1, 2, 3, NAN]))


@pytest.mark.parametrize(("metric", "alpha"), [("nominal", 0.743), ("interval", 0.849)])
def test_the_published_example_is_reproduced(metric: Metric, alpha: float) -> None:
    value = krippendorff_alpha(PUBLISHED, metric)
    assert value is not None
    assert round(value, 3) == alpha


@pytest.mark.parametrize("metric", ["nominal", "interval"])
@given(panels)
def test_it_is_the_definition_pair_by_pair(metric: Metric, ratings: np.ndarray) -> None:
    units = [unit[~np.isnan(unit)] for unit in ratings.T if np.sum(~np.isnan(unit)) >= 2]
    everything = np.concatenate([*units, np.zeros(0)])

    def distance(a: float, b: float) -> float:
        return float(a != b) if metric == "nominal" else (a - b) ** 2

    n = everything.size
    observed = sum(sum(distance(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in units)
    expected = sum(distance(a, b) for a, b in permutations(everything, 2))
    alpha = krippendorff_alpha(ratings, metric)
    if expected == 0:
        assert alpha is None
    else:
        assert alpha == pytest.approx(1 - (n - 1) * observed / expected, abs=1e-9)


def test_two_raters_with_equal_habits_come_near_cohens_kappa() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 3, 4000)
    second = np.where(rng.random(4000) < 0.7, first, rng.integers(0, 3, 4000))
    table = np.zeros((3, 3), dtype=np.int64)
    np.add.at(table, (first, second), 1)
    alpha = krippendorff_alpha(np.stack([first, second]).astype(float))
    assert alpha == pytest.approx(cohen_kappa(table).value, abs=0.002)


def test_units_with_one_rating_are_left_out() -> None:
    lonely = np.hstack([PUBLISHED, [[9.0], [NAN], [NAN], [NAN]]])
    assert krippendorff_alpha(lonely) == krippendorff_alpha(PUBLISHED)
    assert krippendorff_alpha(np.array([[1.0, 2.0]])) is None


def test_raters_who_always_say_the_same_one_thing_have_no_alpha() -> None:
    assert krippendorff_alpha(np.ones((3, 5))) is None


def test_a_flat_list_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match=r"ratings must have the shape \[raters, units\]"):
        krippendorff_alpha(np.ones(4))
