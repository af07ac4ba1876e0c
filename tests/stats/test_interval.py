"""The interval of a drop that the change-point detector found: its coverage over detected drops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.stats.change_point.alarm_quantiles import HIGH, LOW
from monitor.stats.change_point.interval import drop_found_by_evidence
from monitor.stats.change_point.shiryaev_roberts import PART, WHOLE, Mixture, shiryaev_roberts
from monitor.stats.conformal_z import Scores
from monitor.stats.studentise import studentise
from tests.properties import examples

CHANGE, NIGHTS, NEEDED = 40, 110, 8.3


def alarms(drop: float, mixture: Mixture, paths: int, seed: int = 3) -> list[tuple[float, float, float, int, int]]:
    """(measured, true of the windows reported, true drop, nights before, nights since) of the first alarms after the
    change; drops in standard deviations of one night.
    """
    rng = np.random.default_rng(seed)
    level = np.where(np.arange(NIGHTS) >= CHANGE, drop, 0.0)
    falls = rng.normal(size=(NIGHTS, paths)) + level[:, None]
    z = np.full_like(falls, np.nan)
    for night in range(1, NIGHTS):
        z[night] = (falls[night] - falls[:night].mean(axis=0)) / np.sqrt(1.0 + 1.0 / night)
    evidence = shiryaev_roberts(studentise(Scores.of(z)), 14, [mixture] * paths)
    found = []
    for path in range(paths):
        crossed = np.flatnonzero(evidence.log_e[:, path] >= NEEDED)
        if crossed.size and crossed[0] >= CHANGE:
            onset, end = int(evidence.onset[crossed[0], path]), int(crossed[0]) + 1
            measured, true = (x[onset:end].mean() - x[:onset].mean() for x in (falls[:, path], level))
            found.append((float(measured), float(true), drop, onset, end - onset))
    return found


def error(before: int, after: int) -> float:
    return float(np.sqrt(1.0 / before + 1.0 / after))


@pytest.mark.parametrize(
    ("mixture", "drop", "paths"),
    [(WHOLE, 0.5, 900), (WHOLE, 1.0, 300), (WHOLE, 2.0, 300), (WHOLE, 6.0, 200), (PART, 1.0, 300), (PART, 4.0, 200)],
)
def test_the_interval_contains_the_drop_in_nineteen_of_twenty_alarms(mixture: Mixture, drop: float, paths: int) -> None:
    found = alarms(drop, mixture, paths)
    assert len(found) > 100
    missed = {"windows": 0, "whole": 0}
    for measured, windows, whole, before, after in found:
        low, high = drop_found_by_evidence(
            measured, error(before, after), before=before, after=after, log_needed=NEEDED
        )
        missed["windows"] += not low <= windows <= high
        missed["whole"] += not low <= whole <= high
    most = 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / len(found))
    assert max(missed.values()) / len(found) <= most, missed


def test_without_the_correction_small_drops_are_measured_too_large() -> None:
    found = alarms(0.5, WHOLE, 800)
    assert np.mean([m - true > 1.96 * error(before, after) for m, true, _, before, after in found]) > 0.3


sizes = st.floats(1e-4, 1.0)
nights = st.integers(1, 400)
needed = st.floats(2.0, 20.0)


@given(sizes, sizes, nights, nights, needed)
@settings(max_examples=examples(200))
def test_the_measured_drop_is_inside_whatever_the_scale(
    drop: float, spread: float, before: int, after: int, log_needed: float
) -> None:
    low, high = drop_found_by_evidence(drop, spread, before=before, after=after, log_needed=log_needed)
    assert low < drop - 1.9 * spread
    assert high >= drop - 1e-12
    scaled = drop_found_by_evidence(3.0 * drop, 3.0 * spread, before=before, after=after, log_needed=log_needed)
    assert scaled == pytest.approx((3.0 * low, 3.0 * high), rel=1e-9, abs=1e-12)


@given(st.floats(40.0, 500.0), nights, nights, needed)
@settings(max_examples=50)
def test_far_beyond_it_is_nearly_the_usual_interval(score: float, before: int, after: int, log_needed: float) -> None:
    low, high = drop_found_by_evidence(20.0 * score, 1.0, before=before, after=after, log_needed=log_needed)
    assert (20.0 * score - low, high - 20.0 * score) == pytest.approx((1.96, 1.96), abs=0.4)


@given(st.floats(3.0, 9.0), nights, nights)
@settings(max_examples=50)
def test_more_evidence_needed_leaves_room_for_smaller_drops(score: float, before: int, after: int) -> None:
    ends = [
        drop_found_by_evidence(score * 0.01, 0.01, before=before, after=after, log_needed=level)[0]
        for level in (5.0, 14.0)
    ]
    assert ends[1] <= ends[0] + 0.35 * 0.01  # the quantiles of larger drops are alike, up to their simulation's error


def test_an_alarm_that_barely_came_goes_with_no_drop_too() -> None:
    low, _ = drop_found_by_evidence(4.0 * error(40, 12), error(40, 12), before=40, after=12, log_needed=NEEDED)
    assert low < 0.0


def test_the_quantiles_fall_as_drops_grow() -> None:
    assert (np.diff(HIGH, axis=1) < 0.1).all()
    assert (np.array(LOW) <= 0.0).all()


@pytest.mark.parametrize(("drop", "spread"), [(0.0, 0.1), (-0.1, 0.1), (0.1, 0.0)])
def test_what_is_no_drop_is_refused(drop: float, spread: float) -> None:
    with pytest.raises(ValueError, match="above 0"):
        drop_found_by_evidence(drop, spread, before=14, after=1, log_needed=NEEDED)
