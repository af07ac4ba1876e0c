"""The interval of a drop that a look found: its coverage over detected drops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.two_versions.group_sequential import LOOKS, boundaries
from monitor.stats.two_versions.look_interval import drop_found_by_look

BOUNDS = boundaries(0.025)
BEFORE = 14
looks = st.integers(0, len(LOOKS) - 1)
excess = st.floats(0.001, 20.0)


def found(drop: float, runs: int, seed: int = 1) -> list[tuple[int, float, float]]:
    """(look, score, true drop in standard errors of that look) of the runs that raised an alarm; `drop` is in standard
    deviations of one night.
    """
    rng = np.random.default_rng(seed)
    before = rng.normal(size=runs) / np.sqrt(BEFORE)
    after = np.cumsum(rng.normal(size=(LOOKS[-1], runs)) + drop, axis=0)
    alarms, left = [], np.ones(runs, dtype=bool)
    for look, (nights, bound) in enumerate(zip(LOOKS, BOUNDS, strict=True)):
        error = np.sqrt(1.0 / nights + 1.0 / BEFORE)
        scores = (after[nights - 1] / nights - before) / error
        reported = left & (scores >= bound)
        alarms += [(look, float(score), drop / error) for score in scores[reported]]
        left &= ~reported
    return alarms


@pytest.mark.parametrize(("drop", "runs"), [(0.0, 20_000), (0.25, 4_000), (0.5, 1_200), (1.0, 500), (4.0, 400)])
def test_the_interval_contains_the_drop_in_nineteen_of_twenty_alarms(drop: float, runs: int) -> None:
    alarms = found(drop, runs)
    ends = [drop_found_by_look(score, look, BOUNDS, BEFORE) for look, score, _ in alarms]
    missed = np.mean([not low <= true <= high for (_, _, true), (low, high) in zip(alarms, ends, strict=True)])
    assert len(alarms) > 200
    assert missed <= 0.05 + 2.0 * np.sqrt(0.05 * 0.95 / len(alarms))


def test_without_the_correction_small_drops_are_measured_too_large() -> None:
    alarms = found(0.25, 4_000)
    assert np.mean([score - true > 1.96 for _, score, true in alarms]) > 0.2


@given(looks, excess, st.integers(1, 400))
@settings(max_examples=60, deadline=None)
def test_the_measured_drop_is_inside_and_a_larger_one_moves_both_ends(look: int, beyond: float, before: int) -> None:
    score = BOUNDS[look] + beyond
    low, high = drop_found_by_look(score, look, BOUNDS, before)
    more = drop_found_by_look(score + 0.1, look, BOUNDS, before)
    assert low < score - 1.9
    assert high > score + 1.9
    assert more[0] > low - 1e-9
    assert more[1] > high - 1e-9


@given(looks, st.floats(12.0, 300.0))
@settings(max_examples=30, deadline=None)
def test_far_beyond_its_bound_it_is_the_usual_interval(look: int, score: float) -> None:
    low, high = drop_found_by_look(score, look, BOUNDS, BEFORE)
    assert (score - low, high - score) == pytest.approx((1.96, 1.96), abs=0.06)


@pytest.mark.parametrize("bound", [40.0, 400.0])
def test_a_bound_that_chance_alone_never_reaches_still_gives_numbers(bound: float) -> None:
    low, high = drop_found_by_look(bound + 0.1, 0, [bound] * len(LOOKS), BEFORE)
    assert low < bound < high


def test_at_its_bound_an_alarm_goes_with_no_drop_too() -> None:
    low, _ = drop_found_by_look(BOUNDS[0] + 0.01, 0, BOUNDS, BEFORE)
    assert low < 0.0


def test_a_score_that_is_no_drop_is_refused() -> None:
    with pytest.raises(ValueError, match="above 0"):
        drop_found_by_look(0.0, 0, BOUNDS, BEFORE)
