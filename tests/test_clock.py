from datetime import UTC, datetime, timedelta

import pytest

from monitor.clock import OffsetClock, SystemClock

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def test_an_offset_clock_runs_from_its_start() -> None:
    clock = OffsetClock(START)
    first, second = clock.now(), clock.now()
    assert START <= first <= second < START + timedelta(seconds=5)


def test_an_offset_clock_can_be_moved_forward() -> None:
    clock = OffsetClock(START)
    clock.advance_to(START + timedelta(days=3))
    assert START + timedelta(days=3) <= clock.now() < START + timedelta(days=3, seconds=5)


def test_an_offset_clock_refuses_to_run_back() -> None:
    clock = OffsetClock(START)
    with pytest.raises(ValueError, match="already past"):
        clock.advance_to(START - timedelta(seconds=1))
    assert clock.now() >= START


def test_moving_the_wall_clock_does_not_change_durations() -> None:
    clock = OffsetClock(START)
    before = clock.monotonic()
    clock.advance_to(START + timedelta(days=30))
    assert clock.monotonic() - before < timedelta(days=1).total_seconds()


def test_the_system_clock_is_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)
