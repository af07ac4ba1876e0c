"""The time axis: every run at its time, and neighbours apart."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboards.charts.time_axis import MARGIN, TimeAxis, held, spread, ticks

AT = datetime(2026, 3, 2, 2, tzinfo=UTC)
times = st.lists(st.floats(0, 1e6, allow_nan=False), min_size=1, max_size=40).map(sorted)
gaps = st.floats(0.001, 1e5)


@given(times, gaps)
def test_neighbours_are_apart_and_keep_their_order(moments: list[float], apart: float) -> None:
    places = spread(moments, apart)
    assert all(after - before >= apart * (1 - 1e-6) - 1e-6 for before, after in pairwise(places))


@given(times, gaps)
def test_a_moment_with_distant_neighbours_does_not_move(moments: list[float], apart: float) -> None:
    distant = [number * 3 * apart for number in range(len(moments))]
    assert spread(distant, apart) == pytest.approx(distant)


@given(times, gaps, st.randoms(use_true_random=False))
def test_no_other_places_with_these_distances_are_nearer(moments: list[float], apart: float, random: object) -> None:
    """The moves sum to zero in each pool, and moving all places by one amount is never nearer."""

    def cost(places: list[float]) -> float:
        return sum((place - time) ** 2 for place, time in zip(places, moments, strict=True))

    best = spread(moments, apart)
    for shift in (-apart, apart / 10, apart):
        assert cost(best) <= cost([place + shift for place in best]) * (1 + 1e-6) + 1e-3


def test_a_replay_minutes_after_a_nightly_run_is_apart_from_it() -> None:
    nights = [AT + timedelta(days=night) for night in range(30)]
    axis = TimeAxis.of([*nights, nights[-1] + timedelta(minutes=6)])
    after, before = axis.share(nights[-1] + timedelta(minutes=6)), axis.share(nights[-1])
    assert after - before > 0.015
    assert axis.at(axis.place(nights[10])) == nights[10]  # distant runs are at their times


def test_unequal_steps_of_time_have_unequal_widths() -> None:
    axis = TimeAxis.of([AT, AT + timedelta(days=1), AT + timedelta(days=10)])
    first, second, third = (axis.place(AT + timedelta(days=days)) for days in (0, 1, 10))
    assert (third - second) / (second - first) == pytest.approx(9)


def test_one_run_and_no_run_have_an_axis() -> None:
    assert TimeAxis.of([AT]).share(AT) == 0.5
    empty = TimeAxis.of([])
    assert empty.end > empty.begin


def test_the_axis_does_not_pass_the_present() -> None:
    moments = [AT, AT + timedelta(days=10)]
    axis = TimeAxis.of(moments, until=AT + timedelta(days=10, hours=12))
    assert axis.at(axis.end) == AT + timedelta(days=10, hours=12)
    assert axis.at(axis.begin) == AT - MARGIN * timedelta(days=10)


@given(st.integers(1, 5_000_000), st.integers(4, 12))
def test_ticks_are_few_round_and_within_the_axis(minutes: int, most: int) -> None:
    end = AT + timedelta(minutes=minutes)
    found = ticks(AT, end, most)
    assert len(found) <= most
    assert all(AT <= at <= end and (at.minute, at.second) == (0, 0) for at, _ in found)
    assert minutes < 120 or found


def test_a_step_is_held_until_the_next_run_and_a_long_pause_stays_empty() -> None:
    assert held([0.0, 1.0, 2.0, 12.0, 13.0], 13.5) == [1.0, 2.0, 4.0, 13.0, 13.5]
    assert held([], 1.0) == []
