"""Pinned runs and accepted baselines: the nights or days that later ones are compared with."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Acceptance:
    """Who accepted a regression as the new baseline, why, and when."""

    by: str
    reason: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Pin:
    """A pin of a set. `run_id` is the pinned run. The pinned nights reach from `first_run` to it and do not change.
    `ended_at` is the time when the pin was removed or replaced. A set has at most one pin without it.
    """

    id: str
    deployment: str
    set_name: str
    run_id: str
    first_run: str
    counts_from: datetime  # when the first run finished
    counts_to: datetime  # when the pinned run finished
    at: datetime
    who: str
    reason: str
    ended_at: datetime | None = None
    ended_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedBaseline:
    """A baseline that a person or the policy accepted from a finding: nights of the set count from `run_id` on. The old
    baseline reaches from `old_first_run` to `old_last_run`. A baseline of a production `series` counts days, and has
    neither set nor run.
    """

    id: str
    deployment: str
    set_name: str | None
    run_id: str | None
    counts_from: datetime  # when that run finished, or when that day of the series began
    finding_id: str
    at: datetime
    who: str
    reason: str
    old_first_run: str | None = None
    old_last_run: str | None = None
    series: str | None = None
