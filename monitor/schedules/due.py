"""Which instant of a schedule is due: a pure function of the schedule, the last handled instant, the pauses and now."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import active
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.nominal import horizon
from monitor.schedules.occasions import occasions

SEARCHED_PARTS = 400  # of two days or one period each
SEARCHED_INSTANTS = 500  # of a dense schedule: windows repeat every week, but time zones change twice a year
_TICK, _TWO_WEEKS = timedelta(microseconds=1), timedelta(days=15)


def due_instant(
    schedule: SchedulePolicy, last: datetime, now: datetime, *, deployment: str = "", pauses: Sequence[Pause] = ()
) -> datetime | None:
    """Return the latest planned instant in (last, now], in UTC; None when there is none or it is older than
    `catch_up_s`, and during a blackout or a pause.

    A daemon that slept through several nights replays once, for the latest of them. A night that is caught up waits for
    the end of a blackout and of a pause.
    """
    if is_held(schedule, now, pauses):
        return None
    since = max(last, now - timedelta(seconds=schedule.catch_up_s))
    return max(instants(schedule, since, now, deployment=deployment, pauses=pauses), default=None)


def is_held(schedule: SchedulePolicy, now: datetime, pauses: Sequence[Pause] = ()) -> bool:
    """Return whether a blackout or a pause keeps the schedule from planning runs now."""
    return active(schedule.blackouts, now) is not None or any(pause.contains(now) for pause in pauses)


def next_instant(
    schedule: SchedulePolicy, now: datetime, *, deployment: str = "", pauses: Sequence[Pause] = ()
) -> datetime | None:
    """Return the first planned instant after now, in UTC; None when the schedule has no further instant, and when
    blackouts skip all that were searched.
    """
    start, skipped = now, 0
    for _ in range(SEARCHED_PARTS):
        pause = next((one for one in pauses if one.contains(start)), None)
        if pause is not None and pause.end is None:
            return None
        if pause is not None and pause.end is not None:
            start = max(start, pause.end - _TICK)
        until = horizon(schedule, start)
        if until is None:
            return None
        found = occasions(schedule, start, until, deployment=deployment, pauses=pauses)
        ahead = [one.at for one in found if one.runs]
        if ahead:
            return min(ahead)
        skipped += len(found)
        if skipped > SEARCHED_INSTANTS and until - now > _TWO_WEEKS:
            return None
        start = until
    return None


def instants(
    schedule: SchedulePolicy, after: datetime, until: datetime, *, deployment: str = "", pauses: Sequence[Pause] = ()
) -> set[datetime]:
    """Return every planned instant in (after, until], in UTC: with jitter, after blackouts, without pauses."""
    if until <= after:
        return set()
    found = occasions(schedule, after, until, deployment=deployment, pauses=pauses)
    return {one.at for one in found if one.runs}
