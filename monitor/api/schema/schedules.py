"""Schedules: their pauses, their preview, and the runs that a person starts."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from monitor.api.schema.instant import RequestInstant
from monitor.api.schema.runs import RunItem
from monitor.api.schema.wire import Wire


class PauseSchedule(Wire):
    """`until` is the end of the pause; without it the pause lasts until a person resumes the schedule."""

    until: RequestInstant | None = None
    reason: str | None = Field(default=None, min_length=1, max_length=500)


class ResumeSchedule(Wire):
    """The body has no fields."""


class RunSchedule(Wire):
    """The body has no fields."""


class PauseItem(Wire):
    """`resumed_at` and `resumed_by` are null until a person resumes the schedule, also after `until`."""

    paused_at: datetime
    paused_by: str
    until: datetime | None
    reason: str | None
    resumed_at: datetime | None
    resumed_by: str | None


class WindowItem(Wire):
    """A recurring window on the clock of its time zone. An end that is not after the start is on the next day."""

    name: str
    timezone: str
    days: list[str]
    start: str
    end: str


class NextRunItem(Wire):
    """The next instant for a deployment, in UTC and in the time zone of the schedule; null when there is none."""

    deployment: str
    at: datetime | None
    local: str | None


class ScheduleItem(Wire):
    """A schedule has a `cron` line or an interval `every_s` with an `anchor`. `pause` is the pause in effect, `pauses`
    the newest 20 pauses, newest first.
    """

    name: str
    timezone: str
    cron: str | None
    every_s: float | None
    anchor: datetime | None
    jitter_s: float
    blackouts: list[WindowItem]
    in_blackout: Literal["postpone", "skip"]
    catch_up_s: float
    deployments: list[str]
    pause: PauseItem | None
    pauses: list[PauseItem]
    next: list[NextRunItem]


class SetForecastItem(Wire):
    """The expected totals of one replay of a set against a deployment; null where no data exist. `basis` describes the
    source of the numbers. `refused` is the reason why the set is not replayed.
    """

    deployment: str
    set_name: str
    calls: int
    tokens: int | None
    usd: float | None
    basis: str
    refused: str | None = None


class OccasionItem(Wire):
    """One planned time of a schedule and deployment.

    `nominal_at` is the time of the cron line or interval; `at` has jitter and is after a blackout. `local` is `at` on
    the clock of the schedule. Only `planned` and `postponed` run: `merged` has the same `at` as a later time, `skipped`
    is inside the blackout `window`, and `paused` inside a pause. The totals are those of all sets of the deployment.
    """

    schedule: str
    deployment: str
    timezone: str
    nominal_at: datetime
    at: datetime
    local: str
    state: Literal["planned", "postponed", "merged", "skipped", "paused"]
    window: str | None
    paused_by: str | None
    calls: int
    tokens: int | None
    usd: float | None


class PreviewItem(Wire):
    """What the schedules would run in (since, until]. A total is null when it is unknown for one of its runs."""

    since: datetime
    until: datetime
    occasions: list[OccasionItem]
    forecasts: list[SetForecastItem]
    replays: int
    calls: int
    tokens: int | None
    usd: float | None


class SkippedRunItem(Wire):
    """A set of a schedule that was not started, with the reason."""

    deployment: str
    set_name: str
    reason: str


class ScheduleRunsItem(Wire):
    """The runs that were started for a schedule."""

    schedule: str
    runs: list[RunItem]
    skipped: list[SkippedRunItem]
