from bisect import bisect_left

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.run.rate_limit import BURST_S, RECOVER_S, Pace, PaceLimits


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def sent(pace: Pace, clock: Clock, seconds: float) -> list[float]:
    """When one caller that never rests gets its requests out, from now on."""
    times: list[float] = []
    end = clock.now + seconds
    while True:
        clock.now += pace.due_in()
        if clock.now >= end:
            return times
        times.append(clock.now)


def test_without_limits_nobody_waits() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(), clock)
    assert {pace.due_in(1000.0) for _ in range(100)} == {0.0}


@given(st.floats(10.0, 3000.0))
def test_no_minute_holds_more_requests_than_allowed_but_for_the_burst(per_minute: float) -> None:
    clock = Clock()
    times = sent(Pace(PaceLimits(requests_per_minute=per_minute), clock), clock, 180.0)
    allowed = per_minute * (60.0 + BURST_S) / 60.0 + 1.0
    assert max(bisect_left(times, start + 60.0) - i for i, start in enumerate(times)) <= allowed + 1e-6
    assert len(times) >= 3 * per_minute - 1


def test_tokens_are_paced_by_what_calls_turn_out_to_use() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(tokens_per_minute=6000.0), clock)
    calls = 0
    while clock.now < 1600.0:
        clock.now += pace.due_in()
        pace.used(500)
        calls += 1
    assert calls == pytest.approx(6000 / 500 * 10, abs=3)


def test_a_complaint_halves_the_pace_and_silence_restores_it() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(requests_per_minute=600.0), clock)
    sent(pace, clock, 30.0)
    pace.refused()
    pace.refused()  # the same moment: one complaint
    halved = sent(pace, clock, RECOVER_S - 1.0)
    assert len(halved) == pytest.approx(300 * (RECOVER_S - 1) / 60.0, abs=12)
    clock.now += 2.0
    assert len(sent(pace, clock, 60.0)) == pytest.approx(600, abs=25)
    assert len(sent(pace, clock, 60.0)) <= 621  # and never above what is allowed


def test_a_run_without_a_limit_learns_one_from_a_complaint() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(), clock)
    for _ in range(100):  # ten a second
        pace.due_in()
        clock.now += 0.1
    pace.refused()
    assert len(sent(pace, clock, 20.0)) == pytest.approx(100, abs=15)


def test_nothing_is_sent_while_the_server_has_nothing_left() -> None:
    clock = Clock()
    pace = Pace(PaceLimits(), clock)
    pace.hold(12.0)
    assert pace.due_in() == pytest.approx(12.0)
    pace.hold(5.0)  # an earlier end changes nothing
    assert pace.due_in() == pytest.approx(12.0)
    clock.now += 12.0
    assert pace.due_in() == 0.0
