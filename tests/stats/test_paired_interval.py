from functools import cache
from math import lgamma

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.finding import Interval
from monitor.stats.two_versions.paired_interval import tango_interval


@st.composite
def tables(draw: st.DrawFn) -> tuple[int, int, int]:
    n = draw(st.integers(1, 1200))
    to_fail = draw(st.integers(0, n))
    return to_fail, draw(st.integers(0, n - to_fail)), n


@pytest.mark.parametrize(
    ("to_fail", "to_pass", "n", "level", "low", "high"),
    [
        # Tango 1998, section 6: soft contact lenses, 43 pairs cured by both, one by thermal disinfection alone
        (1, 0, 44, 0.90, -0.096, 0.037),
        # Fagerland, Lydersen and Laake 2014: airway hyper-responsiveness (Bentur et al. 2009: 1, 1, 7, 12)
        (7, 1, 21, 0.95, -0.517, -0.026),
    ],
)
def test_published_examples_are_reproduced(
    to_fail: int, to_pass: int, n: int, level: float, low: float, high: float
) -> None:
    interval = tango_interval(to_fail, to_pass, n, level)
    assert (round(interval.low, 3), round(interval.high, 3)) == (low, high)


def test_without_flips_the_interval_is_the_closed_form_and_not_empty() -> None:
    z2 = 1.959963984540054**2
    interval = tango_interval(0, 0, 10)
    assert interval.high == pytest.approx(z2 / (10 + z2), abs=1e-12)
    assert interval.low == -interval.high


def test_when_every_case_flips_to_fail_the_interval_ends_at_minus_one() -> None:
    interval = tango_interval(10, 0, 10)
    assert interval.low == -1.0
    assert interval.high == pytest.approx(-0.444934400274)


def test_a_single_case_already_has_an_interval() -> None:
    assert tango_interval(1, 0, 1).low == -1.0
    assert tango_interval(0, 0, 1).high == pytest.approx(0.7934506856)


@given(tables())
def test_it_contains_the_observed_change_and_stays_in_range(table: tuple[int, int, int]) -> None:
    to_fail, to_pass, n = table
    interval = tango_interval(to_fail, to_pass, n)
    assert -1.0 <= interval.low <= (to_pass - to_fail) / n <= interval.high <= 1.0


@given(tables())
def test_swapping_the_runs_negates_it(table: tuple[int, int, int]) -> None:
    to_fail, to_pass, n = table
    there, back = tango_interval(to_fail, to_pass, n), tango_interval(to_pass, to_fail, n)
    assert (there.low, there.high) == (-back.high, -back.low)


@given(tables())
def test_one_more_flip_to_fail_moves_both_ends_down(table: tuple[int, int, int]) -> None:
    to_fail, to_pass, n = table
    if to_fail + to_pass == n:
        return
    here, worse = tango_interval(to_fail, to_pass, n), tango_interval(to_fail + 1, to_pass, n)
    assert worse.low <= here.low
    assert worse.high <= here.high + 1e-12


@given(tables())
def test_a_higher_level_is_never_narrower(table: tuple[int, int, int]) -> None:
    narrow, wide = tango_interval(*table, level=0.80), tango_interval(*table, level=0.99)
    assert wide.low <= narrow.low
    assert narrow.high <= wide.high


@pytest.mark.parametrize(("discordance", "delta"), [(0.1, 0.0), (0.1, -0.05), (0.3, -0.2), (0.5, 0.1), (0.05, -0.05)])
@pytest.mark.parametrize("n", [30, 80])
def test_coverage_is_close_to_nominal_when_every_possible_table_is_counted(
    n: int, discordance: float, delta: float
) -> None:
    up, down = (discordance + delta) / 2, (discordance - delta) / 2
    covered = sum(
        _probability(b, c, n, up, down)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if (interval := _cached(c, b, n)).low <= delta <= interval.high
    )
    assert 0.92 <= covered <= 0.998


def test_coverage_holds_in_a_seeded_simulation_of_two_nights() -> None:
    rng = np.random.default_rng(7)
    n, up, down = 300, 0.03, 0.08
    draws = rng.multinomial(n, [up, down, 1 - up - down], size=3000)
    hits = [_cached(int(c), int(b), n) for b, c, _ in draws]
    coverage = sum(interval.low <= up - down <= interval.high for interval in hits) / len(hits)
    assert 0.94 <= coverage <= 0.96


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ((0, 0, 0), "at least one paired case, there are 0"),
        ((3, 3, 5), "3 flips to fail and 3 to pass are impossible among 5 cases"),
        ((-1, 0, 5), "impossible"),
    ],
)
def test_impossible_tables_are_refused_with_a_sentence(table: tuple[int, int, int], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tango_interval(*table)


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_outside_zero_and_one_is_refused(level: float) -> None:
    with pytest.raises(ValueError, match="confidence level must be between 0 and 1"):
        tango_interval(1, 1, 10, level)


@cache
def _cached(to_fail: int, to_pass: int, n: int) -> Interval:
    return tango_interval(to_fail, to_pass, n)


def _probability(b: int, c: int, n: int, up: float, down: float) -> float:
    """Of `b` flips up and `c` down in a trinomial sample; a cell of probability zero holds nothing."""
    if (b and up <= 0) or (c and down <= 0):
        return 0.0
    log = lgamma(n + 1) - lgamma(b + 1) - lgamma(c + 1) - lgamma(n - b - c + 1) + (n - b - c) * np.log(1 - up - down)
    return float(np.exp(log + (b * np.log(up) if b else 0.0) + (c * np.log(down) if c else 0.0)))
