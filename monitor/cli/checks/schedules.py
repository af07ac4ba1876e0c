"""Checks schedules: the next replay of each, in its own time zone."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from monitor.cli.checks.line import Line, fail, ok, warn
from monitor.config.policy import to_policy
from monitor.config.tree import Config
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import next_instant


def check_schedules(config: Config, now: datetime) -> list[Line]:
    if not config.schedules and config.deployments:
        return [warn("schedules", "no schedule: replays run after a change or on request")]
    return [_schedule(schedule, now) for schedule in to_policy(config).schedules.values()]


def _schedule(schedule: SchedulePolicy, now: datetime) -> Line:
    check = f"schedule {schedule.name}"
    each = (next_instant(schedule, now, deployment=name) for name in schedule.deployments or ("",))
    following = min((at for at in each if at is not None), default=None)
    if following is None:
        when = f"the cron line {schedule.cron!r}" if schedule.cron is not None else "the interval"
        why = "never matches outside the blackouts" if schedule.blackouts else "never matches again"
        return fail(check, f"{when} {why}; correct it")
    local = following.astimezone(ZoneInfo(schedule.timezone))
    there = f"{local:%Y-%m-%d %H:%M} {schedule.timezone}"
    return ok(check, f"next at {there} ({following:%Y-%m-%d %H:%M} UTC, in {_wait(following - now)})")


def _wait(wait: timedelta) -> str:
    """Format a duration: `3 h 20 min`, `2 days 4 h`."""
    minutes = int(wait.total_seconds() // 60)
    days, hours = minutes // 1440, minutes // 60 % 24
    return f"{days} d {hours} h" if days else f"{hours} h {minutes % 60} min"
