"""Pinned runs and accepted baselines: what later nights or days are compared with, and who decided it."""

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
    """`run_id` is the golden run; its nights reach from `first_run` to it and stay the same as long as the pin does.
    `ended_at` is when it was taken away or replaced; a set has at most one that is not.
    """

    id: str
    deployment: str
    set_name: str
    run_id: str
    first_run: str
    counts_from: datetime  # when the first run finished
    counts_to: datetime  # when the golden run finished
    at: datetime
    who: str
    reason: str
    ended_at: datetime | None = None
    ended_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceptedBaseline:
    """From `run_id` on, nights of the set count as normal: somebody, or the policy, accepted what a finding told.
    The baseline until then lies between two runs that stay comparable. Of a production `series` days count, and there
    is neither set nor run.
    """

    id: str
    deployment: str
    set_name: str | None
    run_id: str | None
    counts_from: datetime  # when that run finished, or when the day of a series began
    finding_id: str
    at: datetime
    who: str
    reason: str
    old_first_run: str | None = None
    old_last_run: str | None = None
    series: str | None = None
