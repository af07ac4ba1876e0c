"""Which instant of a schedule is due: a pure function of the schedule, the last handled instant and now."""

from datetime import UTC, datetime, timedelta

from apscheduler.triggers.cron import CronTrigger

from monitor.domain.policy import SchedulePolicy


def due_instant(schedule: SchedulePolicy, last: datetime, now: datetime) -> datetime | None:
    """The latest planned instant in (last, now], in UTC; None when there is none or it is older than `catch_up_s`.

    A daemon that slept through several nights replays once, for the latest of them.
    """
    trigger = CronTrigger.from_crontab(schedule.cron, timezone=schedule.timezone)
    oldest = max(last, now - timedelta(seconds=schedule.catch_up_s))
    latest: datetime | None = None
    # get_next_fire_time looks from its second argument on, inclusive: one microsecond makes the window (oldest, now]
    following = trigger.get_next_fire_time(None, oldest + timedelta(microseconds=1))
    while following is not None and following <= now:
        latest = following.astimezone(UTC)
        following = trigger.get_next_fire_time(None, latest + timedelta(microseconds=1))
    return latest


def next_instant(schedule: SchedulePolicy, now: datetime) -> datetime | None:
    """The first planned instant after now, in UTC; None when the schedule has none left."""
    trigger = CronTrigger.from_crontab(schedule.cron, timezone=schedule.timezone)
    following = trigger.get_next_fire_time(None, now + timedelta(microseconds=1))
    return None if following is None else following.astimezone(UTC)
