import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from monitor.stats.wilson import wilson


@given(st.integers(1, 5000), st.floats(0.0, 1.0), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_is_the_textbooks(n: int, share: float, level: float) -> None:
    passed = round(share * n)
    low, high = wilson(passed / n, n, level)
    expected = binomtest(passed, n).proportion_ci(level, method="wilson")
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert 0.0 <= float(low) <= passed / n + 1e-12
    assert passed / n - 1e-12 <= float(high) <= 1.0


def test_arrays_are_taken_element_by_element() -> None:
    low, high = wilson(np.array([0.0, 0.5, 1.0]), np.array([10, 10, 0]))
    assert low[0] == 0.0
    assert high[2] == 1.0
    assert (low < high).all()
