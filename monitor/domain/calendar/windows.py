"""Recurring windows on the wall clock of a time zone, for blackouts of schedules and maintenance of alerts: pure.

A window starts on some days of the week at one time and ends at another, on the same or on the next day. A window that
starts and ends at the same time lasts one civil day. Each occurrence is [start, end) in UTC.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from monitor.domain.calendar.civil_time import every_instant, first_instant

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")  # in the order of date.weekday
SEARCH_DAYS = 15  # a week of windows repeats; a second week covers changes of the clock
_DAY, _MINUTE = timedelta(days=1), timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """A recurring window. `days` are the civil days on which it starts, names of WEEKDAYS."""

    name: str
    timezone: str  # IANA name
    days: frozenset[str] = frozenset(WEEKDAYS)
    start: time
    end: time  # at or before `start`: on the next civil day


@dataclass(frozen=True, slots=True, kw_only=True)
class Occurrence:
    """One occurrence of a window: [start, end) in UTC."""

    window: str
    start: datetime
    end: datetime

    def contains(self, at: datetime) -> bool:
        return self.start <= at < self.end


def occurrences(window: Window, after: datetime, until: datetime) -> list[Occurrence]:
    """Return the occurrences of the window that overlap [after, until], the earliest first."""
    zone = ZoneInfo(window.timezone)
    day, last = after.astimezone(zone).date() - 3 * _DAY, until.astimezone(zone).date() + 2 * _DAY
    found = [one for n in range((last - day).days) if (one := _starting_on(window, day + n * _DAY, zone)) is not None]
    return [one for one in found if one.start <= until and one.end > after]


def active(windows: Sequence[Window], at: datetime) -> Occurrence | None:
    """Return the occurrence that contains `at`, of several the one that ends last; None outside all windows."""
    inside = [one for window in windows for one in occurrences(window, at, at) if one.contains(at)]
    return max(inside, key=lambda one: one.end, default=None)


def first_free(windows: Sequence[Window], at: datetime) -> datetime | None:
    """Return the first instant at or after `at` outside all windows; None when there is none within SEARCH_DAYS."""
    free, limit = at, at + SEARCH_DAYS * _DAY
    while free < limit:
        inside = active(windows, free)
        if inside is None:
            return free
        free = inside.end
    return None


def covered_since(windows: Sequence[Window], at: datetime) -> datetime:
    """Return the start of the time without a gap between windows that contains `at`; `at` itself outside all windows.

    The search ends SEARCH_DAYS before `at`.
    """
    since, limit = at, at - SEARCH_DAYS * _DAY
    while since > limit:
        inside = [one for window in windows for one in occurrences(window, since, since) if one.start < since]
        if not inside:
            break
        since = min(one.start for one in inside)
    return since


@lru_cache(maxsize=8192)
def _starting_on(window: Window, day: date, zone: ZoneInfo) -> Occurrence | None:
    """Return the occurrence that starts on a civil day; None when there is none, also when the clock jumps over it."""
    if WEEKDAYS[day.weekday()] not in window.days:
        return None
    start = first_instant(datetime.combine(day, window.start), zone)
    if start is None:
        return None
    ends_on = day if window.end > window.start else day + _DAY
    end = _end(datetime.combine(ends_on, window.end), zone)
    return Occurrence(window=window.name, start=start, end=end) if end > start else None


def _end(wall: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant at which the last minute before `wall` has passed.

    When summer time ends, this is the second of two equal minutes. When the zone skips the whole civil day of `wall`,
    it is that time on the next day.
    """
    for each in _days_from(wall):
        end = first_instant(each, zone)
        if end is not None:
            last_minute = every_instant(each - _MINUTE, zone)
            return max(end, last_minute[-1] + _MINUTE) if len(last_minute) == 2 else end
    raise AssertionError("no zone skips two civil days in a row")


def _days_from(wall: datetime) -> Iterator[datetime]:
    yield from (wall + n * _DAY for n in range(3))
