"""The jitter of a schedule: a delay that differs between deployments, so that they do not start at the same second."""

import hashlib
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from monitor.domain.calendar.civil_time import next_civil_day
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.cron import utc_hour
from monitor.schedules.nominal import runs_every_hour

_SECOND, _HOUR = timedelta(seconds=1), timedelta(hours=1)


def jittered(schedule: SchedulePolicy, deployment: str, at: datetime, following: datetime | None) -> datetime:
    """Return the nominal instant with its delay, in whole seconds.

    The delay is a fixed share of `jitter_s`, derived from the names of the schedule and the deployment. It ends before
    the next nominal instant `following` and before the civil day of the zone ends. For a schedule of every hour it also
    ends before the UTC hour ends. Therefore jitter changes neither the order of instants nor their number per day.
    """
    if schedule.jitter_s <= 0:
        return at
    ends = [at + timedelta(seconds=schedule.jitter_s), next_civil_day(at, ZoneInfo(schedule.timezone))]
    ends += [following] if following is not None else []
    ends += [utc_hour(at) + _HOUR] if runs_every_hour(schedule) else []
    return at + share(schedule.name, deployment) * (min(ends) - at) // _SECOND * _SECOND


def share(schedule: str, deployment: str) -> float:
    """Return the share of the jitter of a schedule and deployment, in [0, 1). It is the same on every machine."""
    digest = hashlib.sha256(f"{schedule}\n{deployment}".encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32
