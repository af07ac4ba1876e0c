"""How often two answers to one case differ: unbiased under any night effect, with its error rate over the looks."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from monitor.stats.consistency import ConsistencyChange, consistency_change
from monitor.stats.night_tally import NightTally
from monitor.stats.two_versions.group_sequential import LOOKS, boundaries

Floats = NDArray[np.float64]
BOUNDS = boundaries(0.025)  # 5 % for both directions together


def once(passes: Floats) -> NightTally:
    return NightTally.of_passes(passes, np.ones_like(passes))


def changed(before: NightTally, after: NightTally, **repeats: NightTally) -> ConsistencyChange:
    found = consistency_change(before, after, **repeats)
    assert found is not None
    return found


def rates_of(rng: np.random.Generator, cases: int, mean: float, between: float = 0.6) -> Floats:
    """`between` is the share of the outcomes' variance that lies between cases."""
    size = 1.0 / between - 1.0
    return rng.beta(mean * size, (1.0 - mean) * size, size=cases)


def drawn(rng: np.random.Generator, rates: Floats, nights: int, *, samples: int = 1, mood: float = 0.0) -> NightTally:
    """Passes of some nights; a mood moves all cases of a night, and is cut off at 0 and 1."""
    tonight = np.clip(rates + mood * rng.standard_normal((nights, 1)), 0.0, 1.0)
    passes = rng.binomial(samples, tonight).astype(np.float64)
    return NightTally.of_passes(passes, np.full(passes.shape, float(samples)))


@pytest.mark.parametrize("nights", [2, 3, 6])
def test_the_disagreement_of_a_case_is_unbiased(nights: int) -> None:
    """Over all outcomes of one case, weighed by their chance; many cases of the other outcome keep it askable."""
    rate, expected = 0.3, 0.0
    for passes in range(nights + 1):
        column = (np.arange(nights) < passes).astype(np.float64)[:, None]
        nights_of_all = once(np.tile(column, (1, 40)))
        found = consistency_change(nights_of_all, once(np.tile([[1.0], [0.0]], (1, 40))))
        expected += math.comb(nights, passes) * rate**passes * (1 - rate) ** (nights - passes) * changed_before(found)
    assert expected == pytest.approx(2.0 * rate * (1.0 - rate))


def changed_before(found: ConsistencyChange | None) -> float:
    assert found is not None
    return found.before


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), samples=st.integers(1, 3), before=st.integers(2, 9), after=st.integers(2, 9))
def test_both_directions_are_alike_and_nights_have_no_order(seed: int, samples: int, before: int, after: int) -> None:
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.1, 0.9, size=60)
    old, new = drawn(rng, rates, before, samples=samples), drawn(rng, rates, after, samples=samples)
    found, back = changed(old, new), changed(new, old)
    assert found.delta == pytest.approx(-back.delta)
    assert found.z == pytest.approx(-back.z)
    assert -1.0 <= found.interval.low <= found.delta <= found.interval.high <= 1.0
    shuffled = rng.permutation(after)
    repeats = changed(old, NightTally.of_passes(new.first[shuffled], new.count[shuffled]))
    assert repeats.delta == pytest.approx(found.delta)
    assert repeats.z == pytest.approx(found.z)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10**6), steady=st.integers(1, 200))
def test_cases_that_always_answer_alike_only_thin_the_difference(seed: int, steady: int) -> None:
    rng = np.random.default_rng(seed)
    rates = rng.uniform(0.2, 0.8, size=60)
    old, new = (rng.random((nights, 60)) < rates for nights in (9, 5))
    always = [np.ones((len(side), steady)) for side in (old, new)]
    alone = changed(once(old.astype(float)), once(new.astype(float)))
    thinned = changed(*(once(np.hstack([side, more])) for side, more in zip((old, new), always, strict=True)))
    assert thinned.delta == pytest.approx(alone.delta * 60 / (60 + steady))


def test_cases_with_one_sample_on_a_side_give_no_result() -> None:
    rng = np.random.default_rng(4)
    rates = np.full(80, 0.5)
    old, new = drawn(rng, rates, 9).first, drawn(rng, rates, 4).first
    new[1:, :30] = np.nan
    found = changed(once(old), once(new))
    assert (found.n, found.pairs) == (50, "nights")
    assert found.delta == pytest.approx(changed(once(old[:, 30:]), once(new[:, 30:])).delta)


def test_one_night_of_single_samples_and_graded_scores_have_no_pair() -> None:
    rng = np.random.default_rng(5)
    old = drawn(rng, np.full(80, 0.5), 9)
    assert consistency_change(old, drawn(rng, np.full(80, 0.5), 1)) is None
    assert consistency_change(old, NightTally.of_values(rng.random((4, 80, 1)))) is None


def test_repeats_of_the_first_night_are_compared_with_repeats_of_earlier_nights() -> None:
    rng = np.random.default_rng(6)
    rates = np.where(np.arange(400) % 2 == 0, 0.5, 1.0)
    asked = np.arange(400) % 4 < 2  # half of the cases, of both kinds
    old, new = drawn(rng, rates, 6), drawn(rng, np.ones(400), 1)
    repeats = [once(np.where(asked, rng.random((n, 400)) < own, np.nan)) for n, own in ((6, rates), (1, np.ones(400)))]
    found = changed(old, new, before_repeats=repeats[0], after_repeats=repeats[1])
    assert (found.n, found.pairs, found.after) == (200, "one_night", 0.0)
    assert found.before == pytest.approx(0.25, abs=0.04)
    assert found.interval.high < 0.0


def test_answers_that_are_alike_within_a_night_are_not_compared_with_answers_of_two_nights() -> None:
    """A provider's cache: k samples of a night are one answer. With one sample a night before, nights are compared."""
    rng = np.random.default_rng(7)
    rates = rng.uniform(0.2, 0.8, size=300)
    old = drawn(rng, rates, 14)
    cached = 2.0 * drawn(rng, rates, 7).first
    found = changed(old, NightTally.of_passes(cached, np.full(cached.shape, 2.0)))
    assert found.pairs == "nights"


def looks(rng: np.random.Generator, old: Floats, new: Floats, *, before: int, **world: float) -> tuple[float, bool]:
    """The first score that reaches its boundary, 0 where none does; whether the interval of seven nights covers."""
    then = drawn(rng, old, before, **world)  # type: ignore[arg-type]
    now = drawn(rng, new, LOOKS[-1], **world)  # type: ignore[arg-type]
    truth = float(2.0 * (new * (1.0 - new) - old * (1.0 - old)).mean())
    found = [consistency_change(then, now.between(0, look)) for look in LOOKS]
    crossed = [row.z for row, bound in zip(found, BOUNDS, strict=True) if row is not None and abs(row.z) >= bound]
    week = found[LOOKS.index(7)]
    return (crossed or [0.0])[0], week is None or week.interval.low <= truth <= week.interval.high


WORLDS = {
    "still": {"before": 14},
    "mood of a point": {"before": 14, "mood": 0.01},
    "large set, mood of three points": {"before": 14, "mood": 0.03, "samples": 3},
}


@pytest.mark.parametrize("world", WORLDS)
def test_a_version_that_is_as_consistent_is_seldom_reported_and_its_interval_covers(world: str) -> None:
    runs, reported, covered = 120, 0, 0
    cases = 805 if world.startswith("large") else 300
    for run in range(runs):
        rng = np.random.default_rng([run, 11])
        rates = rates_of(rng, cases, rng.uniform(0.62, 0.96))
        z, covers = looks(rng, rates, rates, **WORLDS[world])  # type: ignore[arg-type]
        reported, covered = reported + (z != 0.0), covered + covers
    assert reported / runs <= 0.05 + 2 * (0.05 * 0.95 / runs) ** 0.5
    assert covered / runs >= 0.95 - 2 * (0.05 * 0.95 / runs) ** 0.5


def test_a_version_that_answers_other_cases_right_is_not_reported_as_less_consistent() -> None:
    runs, reported = 120, 0
    for run in range(runs):
        rng = np.random.default_rng([run, 12])
        mean = rng.uniform(0.62, 0.96)
        reported += looks(rng, rates_of(rng, 300, mean), rates_of(rng, 300, mean), before=14)[0] != 0.0
    assert reported / runs <= 0.05


@pytest.mark.parametrize("noisier", [True, False])
def test_a_version_that_is_noisier_or_steadier_with_the_same_mean_is_detected(*, noisier: bool) -> None:
    runs, right = 60, 0
    for run in range(runs):
        rng = np.random.default_rng([run, 13])
        steady = rates_of(rng, 300, rng.uniform(0.62, 0.96))
        pulled = 0.8 * steady + 0.2 * steady.mean()
        z, _ = looks(rng, *((steady, pulled) if noisier else (pulled, steady)), before=14)
        right += (z > 0.0) == noisier and z != 0.0
    assert right / runs >= 0.95
