"""The score of a fall, against what nights with that fall really score."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from monitor.stats.conformal_z import Draw, channel_scores
from monitor.stats.fall_score import fall_score, smallest_fall
from monitor.stats.night_tally import NightTally

Floats = NDArray[np.float64]
NIGHTS = 30


def nights_before(rates: Floats, rng: np.random.Generator) -> NightTally:
    passes = rng.binomial(NIGHTS, rates).astype(np.float64)
    return NightTally.of_passes(passes[None, :], np.full((1, rates.size), float(NIGHTS)))


def scores(before: NightTally, rates: Floats, rng: np.random.Generator, nights: int = 60) -> Floats:
    """What `channel_scores` makes of single nights at these rates."""
    passes = (rng.random((nights, rates.size)) < rates).astype(np.float64)
    now = NightTally.of_passes(passes, np.ones_like(passes))
    first, count = passes + before.first, np.ones_like(passes) + before.count
    everything = NightTally(count=count, first=first, second=first, third=first)
    z: Floats = -channel_scores(Draw(now=now, everything=everything), np.ones((rates.size, 1))).z[:, 0]
    return z


@pytest.mark.parametrize(
    ("a", "b", "cases", "fall"), [(2.0, 0.5, 300, 0.06), (2.0, 0.5, 300, 0.15), (19.0, 0.6, 200, 0.05)]
)
def test_the_mean_score_is_that_of_nights_with_such_a_fall(a: float, b: float, cases: int, fall: float) -> None:
    rng = np.random.default_rng(3)
    reported, seen = [], []
    for _ in range(12):
        rates = rng.beta(a, b, size=cases)
        before = nights_before(rates, rng)
        reported.append(fall_score(before, np.ones(cases), fall).mean)
        seen.append(scores(before, rates * (1.0 - fall / rates.mean()), rng).mean())
    assert np.mean(reported) == pytest.approx(np.mean(seen), rel=0.1)


@given(st.integers(0, 10_000), st.floats(0.01, 0.3), st.floats(1.1, 2.0))
def test_a_larger_fall_scores_higher(seed: int, fall: float, times: float) -> None:
    rng = np.random.default_rng(seed)
    before = nights_before(rng.beta(3.0, 1.0, size=40), rng)
    assert fall_score(before, np.ones(40), fall).mean < fall_score(before, np.ones(40), fall * times).mean


def test_the_smallest_fall_is_where_the_score_is_enough() -> None:
    rng = np.random.default_rng(5)
    before = nights_before(rng.beta(3.0, 1.0, size=300), rng)
    fall = smallest_fall(before, np.ones(300), lambda sd: 4.0 + sd)
    assert fall is not None
    score = fall_score(before, np.ones(300), fall)
    assert score.mean == pytest.approx(4.0 + score.sd, abs=0.02)


def test_the_smallest_fall_is_that_of_halving_the_rate_again_and_again() -> None:
    rng = np.random.default_rng(8)
    for _ in range(12):
        cases = int(rng.integers(5, 120))
        size = rng.integers(1, 30, size=(1, cases)).astype(np.float64)
        before = NightTally.of_passes(np.floor(rng.beta(4.0, 0.8, size=(1, cases)) * size), size)
        samples, floor = rng.integers(0, 3, size=cases).astype(np.float64), float(rng.uniform(1.0, 4.0))
        assert smallest_fall(before, samples, lambda sd, floor=floor: floor + sd) == halved(before, samples, floor)  # type: ignore[misc]


def halved(before: NightTally, samples: Floats, floor: float) -> Any:
    def enough(fall: float) -> bool:
        score = fall_score(before, samples, fall)
        return score.mean >= floor + score.sd

    weight = samples * (before.count[0] > 0)
    high = float(weight @ (before.first[0] / before.count[0])) / max(float(weight.sum()), 1.0)
    low = 0.0
    if high <= 0.0 or not enough(high):
        return None
    for _ in range(14):
        middle = (low + high) / 2.0
        low, high = (low, middle) if enough(middle) else (middle, high)
    return pytest.approx(high, rel=1e-9)


def test_graded_scores_have_a_smallest_fall_as_well() -> None:
    values = np.random.default_rng(6).choice([0.2, 0.5, 1.0], size=(NIGHTS, 100, 1))
    fall = smallest_fall(NightTally.of_values(values).pooled(), np.ones(100), lambda sd: 4.0 + sd)
    assert fall is not None
    assert 0.05 < fall < 0.3


def test_an_impossible_or_undetectable_fall_is_none() -> None:
    never, one = (
        nights_before(np.zeros(50), np.random.default_rng(1)),
        nights_before(np.ones(1), np.random.default_rng(1)),
    )
    assert smallest_fall(never, np.ones(50), lambda _: 4.0) is None
    assert smallest_fall(one, np.ones(1), lambda _: 4.0) is None, "one failure of one case is not four deviations"
