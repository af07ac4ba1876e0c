"""The next planned replay of a deployment, and when a verdict is too old."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache

from monitor.api.schema.overview import OverviewNextItem
from monitor.domain.calendar.pauses import Pause
from monitor.domain.policy import Policy, SchedulePolicy
from monitor.schedules.due import next_instant

UNPLANNED = timedelta(days=2)  # a verdict without a schedule is stale after this time
MISSED = 2  # planned replays without a verdict that make the last verdict stale

Pauses = Mapping[str, Sequence[Pause]]


def schedules_of(policy: Policy, deployment: str) -> list[SchedulePolicy]:
    return [one for one in policy.schedules.values() if deployment in one.deployments]


def next_replay(
    schedules: Sequence[SchedulePolicy], deployment: str, pauses: Pauses, now: datetime
) -> OverviewNextItem:
    """Return the earliest planned replay of the schedules."""
    found = [
        (at, one.name)
        for one in schedules
        if (at := next_instant(one, now, deployment=deployment, pauses=pauses.get(one.name, ()))) is not None
    ]
    at, name = min(found, default=(None, None))
    paused = [one.name for one in schedules if any(pause.contains(now) for pause in pauses.get(one.name, ()))]
    return OverviewNextItem(schedule=name, at=at, paused=paused)


def stale_at(
    schedules: Sequence[SchedulePolicy], deployment: str, measured_at: datetime, grace: timedelta, *, imported: bool
) -> datetime:
    """Return when a verdict on a run that ended at `measured_at` becomes stale.

    A replay may take `grace` from its planned time. Imported runs follow no schedule. Pauses do not count: a paused
    schedule measures nothing either.
    """
    if imported or not schedules:
        return measured_at + UNPLANNED
    return min(_missed_at(one, deployment, measured_at, grace) for one in schedules)


@lru_cache(maxsize=4_096)  # the answer changes with a new night only
def _missed_at(schedule: SchedulePolicy, deployment: str, since: datetime, grace: timedelta) -> datetime:
    at: datetime | None = since
    for _ in range(MISSED):
        at = None if at is None else next_instant(schedule, at, deployment=deployment)
    return since + UNPLANNED if at is None else at + grace
