"""What becomes of each nominal instant of a schedule: it runs, is postponed by a blackout, or is left out, and why."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import zip_longest

from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import active, covered_since, first_free
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.jitter import jittered
from monitor.schedules.nominal import nominal_instants

_TICK = timedelta(microseconds=1)  # a blackout contains its start


class OccasionState(StrEnum):
    PLANNED = "planned"
    POSTPONED = "postponed"  # to the end of a blackout
    MERGED = "merged"  # with the next occasion, which has the same instant after a blackout
    SKIPPED = "skipped"  # by a blackout
    PAUSED = "paused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """One nominal instant of a schedule and deployment. `at` is the instant with jitter, after a blackout; for an
    occasion that does not run it is the instant at which it would have run.
    """

    nominal: datetime
    at: datetime
    state: OccasionState
    window: str | None = None  # the blackout
    pause: Pause | None = None

    @property
    def runs(self) -> bool:
        return self.state in (OccasionState.PLANNED, OccasionState.POSTPONED)


def occasions(
    schedule: SchedulePolicy, after: datetime, until: datetime, *, deployment: str = "", pauses: Sequence[Pause] = ()
) -> list[Occasion]:
    """Return the occasions whose `at` is in (after, until], the earliest nominal instant first."""
    jitter = timedelta(seconds=schedule.jitter_s)
    # An instant after `after` was postponed from before it only if a blackout covers `after`.
    since = covered_since(schedule.blackouts, after) if schedule.postpone else after
    nominal = nominal_instants(schedule, since - jitter - _TICK, until + jitter)
    found = [
        _occasion(schedule, at, jittered(schedule, deployment, at, after_it), pauses)
        for at, after_it in zip_longest(nominal, nominal[1:])
        if at <= until
    ]
    return _merged([one for one in found if after < one.at <= until])


def _occasion(schedule: SchedulePolicy, nominal: datetime, at: datetime, pauses: Sequence[Pause]) -> Occasion:
    settled = _after_blackout(schedule, nominal, at)
    pause = next((one for one in pauses if one.contains(settled.at)), None)
    return settled if pause is None else replace(settled, state=OccasionState.PAUSED, pause=pause)


def _after_blackout(schedule: SchedulePolicy, nominal: datetime, at: datetime) -> Occasion:
    inside = active(schedule.blackouts, at)
    if inside is None:
        return Occasion(nominal=nominal, at=at, state=OccasionState.PLANNED)
    free = first_free(schedule.blackouts, at) if schedule.postpone else None
    if free is None:
        return Occasion(nominal=nominal, at=at, state=OccasionState.SKIPPED, window=inside.window)
    return Occasion(nominal=nominal, at=free, state=OccasionState.POSTPONED, window=inside.window)


def _merged(found: Sequence[Occasion]) -> list[Occasion]:
    """Mark every occasion as merged that has the same instant as a later one: one run replaces them."""
    last = {one.at: one.nominal for one in found if one.runs}
    return [
        replace(one, state=OccasionState.MERGED) if one.runs and last[one.at] != one.nominal else one for one in found
    ]
