import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards.intervals import rate_interval


@pytest.mark.parametrize(
    ("passed", "scored", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998) 857-872, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_published_examples_are_reproduced(passed: int, scored: int, low: float, high: float) -> None:
    interval = rate_interval(passed, scored)
    assert interval is not None
    assert (round(interval.low, 4), round(interval.high, 4)) == (low, high)


def test_no_scored_case_gives_no_interval() -> None:
    assert rate_interval(0, 0) is None


@given(st.integers(1, 5000), st.data())
def test_interval_contains_the_rate_stays_in_range_and_is_symmetric(scored: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(0, scored))
    interval, mirrored = rate_interval(passed, scored), rate_interval(scored - passed, scored)
    assert interval is not None
    assert mirrored is not None
    assert 0.0 <= interval.low <= passed / scored <= interval.high <= 1.0
    assert interval.low == pytest.approx(1.0 - mirrored.high, abs=1e-12)


def test_more_passes_than_scores_raise_an_error() -> None:
    with pytest.raises(ValueError, match="3 passed of 2 scored is impossible"):
        rate_interval(3, 2)
