import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.exact_tail import Floats, count_bounds


@st.composite
def channels(draw: st.DrawFn, most_drawn: int = 3) -> list[tuple[int, int, int]]:
    """Cases as (drawn, passed, size)."""
    cases = []
    for _ in range(draw(st.integers(1, 5))):
        size = draw(st.integers(1, 9))
        cases.append((draw(st.integers(0, min(most_drawn, size))), draw(st.integers(0, size)), size))
    return cases


def by_convolution(cases: list[tuple[int, int, int]]) -> Floats:
    from scipy.stats import hypergeom

    mass = np.ones(1)
    for drawn, passed, size in cases:
        mass = np.convolve(mass, hypergeom.pmf(np.arange(drawn + 1), size, passed, drawn))
    return mass


def bounds(cases: list[tuple[int, int, int]], observed: int) -> list[float]:
    drawn, passed, size = (np.array([column], dtype=np.float64) for column in zip(*cases, strict=True))
    return [float(part[0]) for part in count_bounds(np.array([float(observed)]), drawn, passed, size)]


@settings(max_examples=60, deadline=None)
@given(channels(), st.integers(0, 15))
def test_the_probabilities_are_those_of_hypergeometrics_convolved(
    cases: list[tuple[int, int, int]], observed: int
) -> None:
    mass = by_convolution(cases)
    values = np.arange(mass.size)
    expected = [mass[values < observed].sum(), mass[values == observed].sum(), mass[values > observed].sum()]
    assert bounds(cases, observed) == pytest.approx(expected, abs=1e-12)


@given(channels(), st.integers(0, 15))
def test_below_at_and_above_add_up_to_one(cases: list[tuple[int, int, int]], observed: int) -> None:
    assert sum(bounds(cases, observed)) == pytest.approx(1.0, abs=1e-12)


@given(channels(most_drawn=1), st.integers(0, 5))
def test_one_sample_a_night_is_no_special_case(cases: list[tuple[int, int, int]], observed: int) -> None:
    with_a_certain_pair = [*cases, (2, 0, 2)]  # two samples a night take the general way
    assert bounds(cases, observed) == pytest.approx(bounds(with_a_certain_pair, observed), abs=1e-12)


@given(channels(), st.integers(0, 15), st.sampled_from([(0, 3, 5), (2, 0, 6), (0, 0, 0)]))
def test_a_case_not_drawn_or_always_failing_changes_nothing(
    cases: list[tuple[int, int, int]], observed: int, certain: tuple[int, int, int]
) -> None:
    assert bounds([certain, *cases], observed) == pytest.approx(bounds(cases, observed), abs=1e-12)


def test_nights_do_not_mix() -> None:
    now, ones = np.array([0.0, 1.0]), np.ones((2, 1))
    below, at, above = count_bounds(now, ones, np.array([[1.0], [3.0]]), np.array([[4.0], [4.0]]))
    assert below == pytest.approx([0.0, 0.25])
    assert at == pytest.approx([0.75, 0.75])
    assert above == pytest.approx([0.25, 0.0])


def test_a_tail_of_one_in_ten_to_the_sixty_keeps_its_digits() -> None:
    below, at, _ = bounds([(1, 999, 1000)] * 20, 1)
    assert below == pytest.approx(1e-60, rel=1e-9)
    assert at == pytest.approx(20 * 0.999 * 1e-57, rel=1e-9)


def test_a_channel_without_cases_is_certain() -> None:
    none = np.zeros((2, 0))
    below, at, above = count_bounds(np.zeros(2), none, none, none)
    assert (below.tolist(), at.tolist(), above.tolist()) == ([0.0, 0.0], [1.0, 1.0], [0.0, 0.0])
