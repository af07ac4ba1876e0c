"""Recurring windows on wall clocks, through midnight, folds and gaps."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.calendar.windows import WEEKDAYS, Window, active, first_free, occurrences

MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ZONES = ("UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Nuuk", "Africa/Casablanca", "Pacific/Apia")


def window(start: str, end: str, *days: str, zone: str = "Europe/Berlin") -> Window:
    return Window(
        name=f"{start}-{end}",
        timezone=zone,
        days=frozenset(days or WEEKDAYS),
        start=time.fromisoformat(start),
        end=time.fromisoformat(end),
    )


def at(month: int, day: int, hour: int, minute: int = 0) -> datetime:
    """2026, in UTC."""
    return datetime(2026, month, day, hour, minute, tzinfo=UTC)


def spans(one: Window, after: datetime, until: datetime) -> list[str]:
    return [f"{found.start:%d %H:%M}-{found.end:%d %H:%M}" for found in occurrences(one, after, until)]


def test_a_window_keeps_its_local_time_on_its_days() -> None:
    assert spans(window("08:00", "09:30", "mon", "wed"), at(11, 22, 12), at(11, 27, 12)) == [
        "23 07:00-23 08:30",
        "25 07:00-25 08:30",
    ]


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_starts() -> None:
    friday = window("22:00", "06:00", "fri", zone="UTC")
    assert active([friday], at(11, 28, 5, 59)) is not None  # Saturday morning
    assert active([friday], at(11, 28, 6)) is None
    assert active([friday], at(11, 27, 5)) is None  # Friday morning


def test_a_window_that_starts_and_ends_at_midnight_is_the_civil_day() -> None:
    assert spans(window("00:00", "00:00", "sun"), at(10, 24, 12), at(10, 26, 12)) == ["24 22:00-25 23:00"]  # 25 hours


def test_a_window_in_the_fold_covers_both_readings_of_its_minutes() -> None:
    assert spans(window("02:00", "02:30"), at(10, 25, 0), at(10, 25, 3)) == ["25 00:00-25 01:30"]


def test_a_window_that_ends_where_the_fold_begins_does_not_reach_into_it() -> None:
    assert spans(window("01:00", "02:00"), at(10, 24, 22), at(10, 25, 3)) == ["24 23:00-25 00:00"]


def test_a_window_inside_the_gap_does_not_occur() -> None:
    assert spans(window("02:00", "02:45"), at(3, 28, 12), at(3, 29, 12)) == []


def test_a_window_that_ends_in_a_skipped_day_ends_on_the_next() -> None:
    apia = window("22:00", "06:00", zone="Pacific/Apia")
    found = occurrences(apia, datetime(2011, 12, 30, 9, tzinfo=UTC), datetime(2011, 12, 30, 9, tzinfo=UTC))
    assert [(one.start.isoformat(), one.end.isoformat()) for one in found] == [
        ("2011-12-30T08:00:00+00:00", "2011-12-30T16:00:00+00:00")
    ]


def test_the_first_free_instant_passes_windows_that_overlap_or_adjoin() -> None:
    night = [
        window("22:00", "02:00", zone="UTC"),
        window("01:00", "04:00", zone="UTC"),
        window("04:00", "05:00", zone="UTC"),
    ]
    assert first_free(night, at(11, 20, 23)) == at(11, 21, 5)
    assert first_free(night, at(11, 20, 21)) == at(11, 20, 21)


def test_windows_that_leave_no_minute_free_have_no_first_free_instant() -> None:
    assert first_free([window("00:00", "12:00"), window("12:00", "00:00")], at(11, 20, 3)) is None


@pytest.mark.parametrize("zone", ZONES)
@given(
    start=st.integers(0, 1439),
    length=st.integers(1, 1439),
    days=st.sets(st.sampled_from(WEEKDAYS), min_size=1),
    moment=st.integers(0, 3 * 365 * 24 * 60),
)
@settings(max_examples=40, deadline=None)
def test_an_instant_on_the_wall_clock_of_a_window_is_inside_it(
    zone: str, start: int, length: int, days: set[str], moment: int
) -> None:
    """In the hours around a change of the clock a window may be longer than its times, but never shorter."""
    begin, stop = (time(n % 1440 // 60, n % 60) for n in (start, start + length))
    one = Window(name="w", timezone=zone, days=frozenset(days), start=begin, end=stop)
    now = datetime(2025, 1, 1, tzinfo=UTC) + moment * MINUTE
    there = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None)
    begun = datetime.combine(there.date(), begin)
    begun -= DAY if begun > there else timedelta()
    on_clock = WEEKDAYS[begun.weekday()] in days and there < begun + length * MINUTE
    inside = active([one], now) is not None
    steady = len({(now + n * HOUR).astimezone(ZoneInfo(zone)).utcoffset() for n in range(-30, 31)}) == 1
    assert inside == on_clock if steady else inside or not on_clock
