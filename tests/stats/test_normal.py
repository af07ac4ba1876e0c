"""The normal quantile and distribution function agree with SciPy's, which take arrays."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

from monitor.stats.normal import normal_cdf, normal_quantile

CLOSE = 1e-12  # relative
TAILS = st.floats(min_value=-690.0, max_value=-0.7).map(math.exp)  # from 1e-300 to 0.5, even in the logarithm


@given(st.one_of(TAILS, st.floats(min_value=1e-6, max_value=1.0 - 1e-6)))
@example(0.5)
@example(1.0 - 1e-10)
def test_the_quantile_is_that_of_scipy(p: float) -> None:
    assert normal_quantile(p) == pytest.approx(float(ndtri(p)), rel=CLOSE, abs=1e-300)


@given(st.floats(min_value=-37.0, max_value=37.0))
def test_the_distribution_function_is_that_of_scipy(z: float) -> None:
    assert normal_cdf(z) == pytest.approx(float(ndtr(z)), rel=CLOSE)


@given(st.floats(min_value=-37.0, max_value=5.0))
def test_the_quantile_inverts_the_distribution_function(z: float) -> None:
    assert normal_quantile(normal_cdf(z)) == pytest.approx(z, abs=1e-9)


def test_certain_events_have_infinite_quantiles() -> None:
    assert (normal_quantile(0.0), normal_quantile(1.0)) == (-math.inf, math.inf)


@pytest.mark.parametrize("p", [-0.1, 1.1, math.nan])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(ValueError, match="a probability must be between 0 and 1"):
        normal_quantile(p)
