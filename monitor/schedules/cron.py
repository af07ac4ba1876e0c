"""The instants of a cron line on the wall clock of a time zone.

A line that names its hours has each of its times once every civil day: at the first of two equal times when summer
time ends, at the first valid minute when the clock jumps over the time, and at the last minute of the day when the
clock jumps over the rest of the day. A line of every hour follows elapsed time and has one instant in every UTC hour.
"""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.cron.fields import BaseField

from monitor.domain.calendar.civil_time import every_instant, instant_of_day, wall_window

_DAY = timedelta(days=1)
_TICK = timedelta(microseconds=1)
_AHEAD = timedelta(days=2)  # a change of the clock reorders the instants of at most two civil days
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def instants(cron: str, timezone: str, after: datetime, until: datetime) -> set[datetime]:
    """Return every instant of the line in (after, until], in UTC."""
    if until <= after:
        return set()
    zone, hourly = ZoneInfo(timezone), is_hourly(cron)
    start, end = wall_window(utc_hour(after) if hourly else after, until, zone)
    walls = _walls(cron, start, end)
    if hourly:
        found = _once_an_hour(cron, {at for wall in walls for at in every_instant(wall, zone)})
    else:
        found = {at for wall in walls if (at := instant_of_day(wall, zone)) is not None}
    return {at for at in found if after < at <= until}


def horizon(cron: str, timezone: str, after: datetime) -> datetime | None:
    """Return a time after which the line has had an instant since `after`; None when it has no further instant."""
    start, _ = wall_window(after, after, ZoneInfo(timezone))
    wall = _next_wall(cron, start)
    return None if wall is None else max(wall.replace(tzinfo=UTC), after) + _AHEAD


@lru_cache(maxsize=256)
def is_hourly(cron: str) -> bool:
    """Return whether the line runs in every hour."""
    hour = _field(cron, "hour")
    return all(hour.get_next_value(_ANY_DAY.replace(hour=value)) == value for value in range(24))


def utc_hour(at: datetime) -> datetime:
    """Return the start of the UTC hour."""
    return at.replace(minute=0, second=0, microsecond=0)


def _once_an_hour(cron: str, found: set[datetime]) -> set[datetime]:
    """Keep the first instant of each UTC hour: where the clock moves by half an hour, a fixed minute may occur twice in
    one UTC hour.
    """
    if len(_minutes(cron)) > 1:
        return found
    first: dict[datetime, datetime] = {}
    for at in sorted(found):
        first.setdefault(utc_hour(at), at)
    return set(first.values())


def _walls(cron: str, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the times of the cron line in [start, end], on a clock without a zone."""
    day = _day_from(cron, start.date())
    while day is not None and day <= end.date():
        yield from (wall for wall in _walls_of_day(cron, day) if start <= wall <= end)
        day = _day_from(cron, day + _DAY)


@lru_cache(maxsize=4096)
def _day_from(cron: str, day: date) -> date | None:
    """Return the first day at or after `day` on which the line has a time."""
    wall = _next_wall(cron, datetime.combine(day, time()))
    return None if wall is None else wall.date()


@lru_cache(maxsize=4096)
def _walls_of_day(cron: str, day: date) -> tuple[datetime, ...]:
    found, wall = [], _next_wall(cron, datetime.combine(day, time()))
    while wall is not None and wall.date() == day:
        found.append(wall)
        wall = _next_wall(cron, wall + _TICK)
    return tuple(found)


def _next_wall(cron: str, start: datetime) -> datetime | None:
    """Return the first time of the cron line at or after `start`."""
    found: datetime | None = _trigger(cron).get_next_fire_time(None, start.replace(tzinfo=UTC))
    return None if found is None else found.replace(tzinfo=None)


@lru_cache(maxsize=256)
def _minutes(cron: str) -> frozenset[int]:
    minute = _field(cron, "minute")
    return frozenset(value for value in range(60) if minute.get_next_value(_ANY_DAY.replace(minute=value)) == value)


def _field(cron: str, name: str) -> BaseField:
    return next(field for field in _trigger(cron).fields if field.name == name)


@lru_cache(maxsize=256)
def _trigger(cron: str) -> CronTrigger:
    """Return the trigger on a clock that never changes. civil_time.py maps its times to instants of the zone."""
    return CronTrigger.from_crontab(cron, timezone=UTC)
