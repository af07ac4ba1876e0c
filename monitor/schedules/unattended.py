"""Schedules that run nothing until a person acts: a monitor must not stop silently."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from monitor.domain.calendar.pauses import Pause
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import next_instant


def stopped_schedules(
    schedules: Mapping[str, SchedulePolicy], pauses: Mapping[str, Sequence[Pause]], now: datetime
) -> list[str]:
    """Return a sentence for each schedule that is paused, and for each without a further planned time."""
    found = (_stopped(schedule, pauses.get(name, ()), now) for name, schedule in schedules.items())
    return [sentence for sentence in found if sentence is not None]


def _stopped(schedule: SchedulePolicy, pauses: Sequence[Pause], now: datetime) -> str | None:
    pause = next((one for one in pauses if one.contains(now)), None)
    if pause is not None:
        until = "until a person resumes it" if pause.end is None else f"until {_when(pause.end)}"
        why = "" if pause.reason is None else f" ({pause.reason})"
        return (
            f"schedule {schedule.name} is paused by {pause.paused_by} since {_when(pause.paused_at)}, {until}{why}; "
            f"`driftd schedule resume {schedule.name}` ends the pause"
        )
    if schedule.deployments and all(
        next_instant(schedule, now, deployment=name) is None for name in schedule.deployments
    ):
        why = "its blackouts contain every planned time" if schedule.blackouts else "its cron line never matches again"
        return f"schedule {schedule.name} has no next time: {why}; correct schedules.{schedule.name}"
    return None


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
