"""The nominal instants of a schedule: its cron line or its interval, before jitter, blackouts and pauses."""

from datetime import datetime, timedelta

from monitor.domain.policy import SchedulePolicy
from monitor.schedules import cron

_HOUR_S = 3600.0


def nominal_instants(schedule: SchedulePolicy, after: datetime, until: datetime) -> list[datetime]:
    """Return the nominal instants in (after, until], in UTC, the earliest first.

    An interval counts elapsed time from its anchor, before and after it.
    """
    if schedule.cron is not None:
        return sorted(cron.instants(schedule.cron, schedule.timezone, after, until))
    every = _every(schedule)
    first = (after - schedule.anchor) // every + 1
    last = (until - schedule.anchor) // every
    return [schedule.anchor + n * every for n in range(first, last + 1)]


def horizon(schedule: SchedulePolicy, after: datetime) -> datetime | None:
    """Return a time until which the schedule has a nominal instant after `after`; None when there is no further one."""
    if schedule.cron is not None:
        return cron.horizon(schedule.cron, schedule.timezone, after)
    return after + _every(schedule) + timedelta(days=1)


def runs_every_hour(schedule: SchedulePolicy) -> bool:
    """Return whether every hour has a nominal instant."""
    if schedule.cron is not None:
        return cron.is_hourly(schedule.cron)
    return _every(schedule).total_seconds() <= _HOUR_S


def _every(schedule: SchedulePolicy) -> timedelta:
    assert schedule.every_s is not None, f"schedule {schedule.name}: a schedule has a cron line or an interval"
    return timedelta(seconds=schedule.every_s)
