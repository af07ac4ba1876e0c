"""Whether the replays of a set against a deployment take place and have results."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_REPLAYS = "replays of "


def replays_of(deployment: str, set_name: str) -> str:
    """Return the subject of findings and alerts about these replays."""
    return f"{_REPLAYS}{set_name} on {deployment}"


def is_about_replays(source: str | None) -> bool:
    return source is not None and source.startswith(_REPLAYS)


class ReplayState(StrEnum):
    GOOD = "good"
    FAILED = "failed"
    INSUFFICIENT = "insufficient"  # too few of its cases have a score
    TOO_FEW_CASES = "too_few_cases"  # in the set, or in common with earlier nights


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """A run that ended. `state` is None when the run has no consequence: it was cancelled, or is not judged yet."""

    id: str
    planned_at: datetime
    state: ReplayState | None
    by_hand: bool
    crashed: bool  # driftd crashed during it and set it aside
    why: str
    partial: str | None = None  # why it ended before all its cases were attempted


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that is planned, running or waiting. `due_since` is the time when driftd learnt of it."""

    id: str
    due_since: datetime
    why: str
    started_at: datetime | None = None
    waits: bool = False  # for its target, after an outage


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The requirement of a schedule. `missed` is its first instant without a finished run, None when each has one. With
    `due`, the schedule is about to plan a run.
    """

    schedule: str
    missed: datetime | None
    due: bool
    handled: bool  # driftd was running at that instant, or caught it up
    held: bool = False  # a pause or a blackout keeps the schedule from planning now


@dataclass(frozen=True, slots=True, kw_only=True)
class Replays:
    """The stored runs of one set and deployment; `ended` has the newest first. `empty_since` is the time when the set
    was first found without cases, None when it has cases.
    """

    deployment: str
    set_name: str
    dynamic: bool
    ended: tuple[EndedRun, ...]
    open: OpenRun | None
    expected: tuple[Expected, ...]
    empty_since: datetime | None
