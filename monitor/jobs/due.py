"""Which instant of a schedule is due: a pure function of the schedule, the last handled instant and now.

The cron line is read on the wall clock of its zone. A schedule that names its hours runs each of its times once every
civil day: at the first of two equal times when summer time ends, at the first valid minute when the clock jumps over
the time. A schedule of every hour follows elapsed time and runs once every UTC hour.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from apscheduler.triggers.cron import CronTrigger
from apscheduler.triggers.cron.fields import BaseField

from monitor.domain.calendar.civil_time import every_instant, first_instant, wall_window
from monitor.domain.policy import SchedulePolicy

_TICK = timedelta(microseconds=1)
_AHEAD = timedelta(days=2)  # a change of the clock reorders the instants of at most two civil days
_ANY_DAY = datetime(2026, 1, 1, tzinfo=UTC)


def due_instant(schedule: SchedulePolicy, last: datetime, now: datetime) -> datetime | None:
    """Return the latest planned instant in (last, now], in UTC; None when there is none or it is older than
    `catch_up_s`.

    A daemon that slept through several nights replays once, for the latest of them.
    """
    return max(instants(schedule, max(last, now - timedelta(seconds=schedule.catch_up_s)), now), default=None)


def next_instant(schedule: SchedulePolicy, now: datetime) -> datetime | None:
    """Return the first planned instant after now, in UTC; None when the schedule has no further instant."""
    start, _ = wall_window(now, now, ZoneInfo(schedule.timezone))
    while (wall := _next_wall(schedule.cron, start)) is not None:
        until = wall.replace(tzinfo=UTC) + _AHEAD
        ahead = instants(schedule, now, until)
        if ahead:
            return min(ahead)
        start = until.replace(tzinfo=None)
    return None


def instants(schedule: SchedulePolicy, after: datetime, until: datetime) -> set[datetime]:
    """Return every planned instant in (after, until], in UTC."""
    if until <= after:
        return set()
    zone, hourly = ZoneInfo(schedule.timezone), _is_hourly(schedule.cron)
    start, end = wall_window(_hour(after) if hourly else after, until, zone)
    walls = _walls(schedule.cron, start, end)
    if hourly:
        found = _once_an_hour(schedule.cron, {at for wall in walls for at in every_instant(wall, zone)})
    else:
        found = {at for wall in walls if (at := first_instant(wall, zone)) is not None}
    return {at for at in found if after < at <= until}


def _once_an_hour(cron: str, found: set[datetime]) -> set[datetime]:
    """Keep the first instant of each UTC hour: where the clock moves by half an hour, a fixed minute may occur twice in
    one UTC hour.
    """
    if len(_minutes(cron)) > 1:
        return found
    first: dict[datetime, datetime] = {}
    for at in sorted(found):
        first.setdefault(_hour(at), at)
    return set(first.values())


def _hour(at: datetime) -> datetime:
    return at.replace(minute=0, second=0, microsecond=0)


def _walls(cron: str, start: datetime, end: datetime) -> Iterator[datetime]:
    """Yield the times of the cron line in [start, end], on a clock without a zone."""
    wall = _next_wall(cron, start)
    while wall is not None and wall <= end:
        yield wall
        wall = _next_wall(cron, wall + _TICK)


def _next_wall(cron: str, start: datetime) -> datetime | None:
    """Return the first time of the cron line at or after `start`."""
    found: datetime | None = _trigger(cron).get_next_fire_time(None, start.replace(tzinfo=UTC))
    return None if found is None else found.replace(tzinfo=None)


@lru_cache(maxsize=256)
def _is_hourly(cron: str) -> bool:
    hour = _field(cron, "hour")
    return all(hour.get_next_value(_ANY_DAY.replace(hour=value)) == value for value in range(24))


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
